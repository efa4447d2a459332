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
    bool always_solve;   /* tests: skip saturation and replay, so that the solver has to decide */
    bool little_effort;  /* give up early: UNKNOWN then says nothing about the limits */
    bool no_guess;       /* tests: do not first try the orders that the history suggests */
    bool always_ranked;  /* tests: use ranked_versions.h, however few the sessions */
    bool first_reason;   /* tests: RC, RA, CC give the first reason found, as in large histories */
    bool unique_values;  /* two writes of one value to one key are an anomaly */
    struct stats *stats; /* or NULL */
    bool no_run;         /* do not decide histories of lists by running them (lists.h) */
    struct backend_z3_state *z3; /* see backend.h */
    /* Per operation: the position, from 1, of its element in the key's list; 0: no read shows the
     * element.  Only for lists with duplicate values, see duplicate_values.h.  NULL: look for
     * positions. */
    const uint32_t *places;
    /* The trail of an earlier result for nearly the same history: where to begin the search. */
    const struct check_trail *trail;
    /* SI, PC, RCS: a stronger level was easier to decide before, so it is tried first. */
    bool stronger_first;
};

struct check_options check_defaults(void);

/* The options that the solver needs. */
static inline struct backend_options check_solver(const struct check_options *o)
{
    return (struct backend_options){o->backend,       o->monosat_path, o->seed,
                                    o->little_effort, o->stats,        o->z3};
}

#endif
