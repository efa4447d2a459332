/* The question to the history engine: which level, and how to look for the answer. */
#ifndef CHECK_PROBLEM_QUESTION_H
#define CHECK_PROBLEM_QUESTION_H

#include "base/budget.h"
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
    bool no_guess;      /* tests: orders that the history suggests are not tried first */
    bool always_ranked; /* tests: versions in lines (ranked_versions.h), however few the sessions */
    bool first_reason;  /* tests: RC, RA, CC give the first reason found, as in large histories */
    bool no_cases;      /* tests: what the solver refutes is explained by lemmas and a proof */
    bool unique_values; /* two writes of one value to one key are an anomaly */
    struct stats *stats;         /* or NULL */
    bool no_run;                 /* histories of lists are matched, not run (lists.h) */
    struct backend_z3_state *z3; /* see backend.h */
    /* Per operation: the position, from 1, of its element in the key's list; 0: no read shows the
     * element.  Only for lists with duplicate values, see duplicate_values.h.  NULL: look for
     * positions. */
    const uint32_t *places;
    /* The trail of an earlier result for nearly the same history: where to begin the search. */
    const struct check_trail *trail;
    /* The technique that answered an earlier question for much the same history, or NULL. */
    const char *favourite;
    struct budget *budget; /* NULL: endless; if it is over, the answer is UNKNOWN */
    bool ok_only;          /* nobody wants to know a violation: it may be UNKNOWN as well */
};

struct check_options check_defaults(void);

/* A budget that is enough for most questions about a history of this size, and over in less than
 * ten times what it takes to match the reads with the writes, or in a second. */
static inline uint64_t check_little_effort(const struct history *h)
{
    return 2000000 + 50 * (uint64_t)h->ops.len;
}

/* What the solver has to know of it. */
static inline struct backend_options check_solver(const struct check_options *o)
{
    return (struct backend_options){o->backend, o->monosat_path, o->seed,
                                    o->budget,  o->stats,        o->z3};
}

#endif
