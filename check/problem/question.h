/* The question to the history engine: which level, and how to look for the answer. */
#ifndef CHECK_PROBLEM_QUESTION_H
#define CHECK_PROBLEM_QUESTION_H

#include "base/stats.h"
#include "certify/verdict.h"
#include "check/solver/backend.h"

struct check_options {
    struct level level;
    int64_t clock_drift; /* time stamps this close prove no order */
    enum backend_kind backend;
    const char *monosat_path; /* NULL: "libmonosat.so" */
    uint64_t seed;
    bool always_solve;  /* tests: skip saturation and replay, so that the solver has to decide */
    bool little_effort; /* give up early: UNKNOWN then says nothing about the limits */
    bool no_guess;      /* tests: orders that the history suggests are not tried first */
    bool always_ranked; /* tests: versions in lines (ranked_versions.h), however few the sessions */
    bool first_reason;  /* tests: RC, RA, CC give the first reason found, as in large histories */
    bool no_cases;      /* tests: what the solver refutes is explained by lemmas and a proof */
    bool unique_values; /* two writes of one value to one key are an anomaly */
    struct stats *stats;         /* or NULL */
    bool no_run;                 /* histories of lists are matched, not run (lists.h) */
    struct backend_z3_state *z3; /* see backend.h */
    /* Per operation: the element, from 1, of its key's list that it appended, 0: none that a read
     * shows; only for lists with equal elements, see duplicate_values.h.  NULL: look for it. */
    const uint32_t *places;
    /* The trail of an earlier result for much the same history: where to begin looking. */
    const struct check_trail *trail;
    bool stronger_first; /* SI, PC, RCS: a stronger level has been the easier question before */
};

struct check_options check_defaults(void);

/* What the solver has to know of it. */
static inline struct backend_options check_solver(const struct check_options *o)
{
    return (struct backend_options){o->backend,       o->monosat_path, o->seed,
                                    o->little_effort, o->stats,        o->z3};
}

#endif
