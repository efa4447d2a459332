/* One bounded run: some transactions, some properties, an exact answer for each. */
#ifndef ENCODE_RUN_H
#define ENCODE_RUN_H

#include "encode/enc.h"
#include "encode/result/properties.h"
#include "encode/verify.h"

/* One property in one run. */
struct run_item {
    uint32_t property;
    enum verify_status status; /* HOLDS, VIOLATED, UNKNOWN, VACUOUS, INTERNAL_ERROR */
    const char *reason;        /* in the arena given to run_bounded */
    struct execution *execution;
    enum verify_reach reach; /* HOLDS */
    const struct sx_point *fails;
    double seconds;
};

/* A program's summaries (of the kind that the levels need) and properties. */
struct run_program {
    struct sx_program *sx;
    const struct properties *props;
};

struct run_input {
    struct ast_program *ast;
    struct run_program of;
    /* The same program again, for other threads (race.h). */
    const struct run_program *spare;
    size_t n_spare;
    const struct verify_question *question;
    const struct model *const *levels; /* by TRANSACTION */
    /* The run: a scenario, by number, or any n instances. */
    uint32_t scenario; /* or RUN_ANY */
    unsigned n;
    bool any_state;               /* from every state that satisfies the invariants */
    const struct model *observer; /* level with observe snapshots, or NULL */
    const bool *wanted;           /* by property */
    bool initially;               /* look at the initial state only */
    bool quietly;                 /* statuses only: executions are not minimised */
    double seconds;               /* give up after that; 0: never */
    unsigned seed;
    struct z3ctx_stop *stop; /* or NULL */
    struct z3ctx_pool *pool;
    struct arena *arena;
};
#define RUN_ANY UINT32_MAX
typedef VEC(struct run_item) run_items;

/* Appends an item for every wanted property that occurs in the run. */
void run_bounded(const struct run_input *in, run_items *out);

#endif
