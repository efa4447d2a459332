/* One bounded run: a problem, some properties, an exact answer for each. */
#ifndef ENCODE_RUN_H
#define ENCODE_RUN_H

#include "encode/enc.h"
#include "encode/properties.h"

/* One property in one run. */
struct run_item {
    uint32_t property;
    enum verify_status status; /* HOLDS, VIOLATED, UNKNOWN, VACUOUS, INTERNAL_ERROR */
    const char *reason;        /* in the arena given to run_bounded */
    struct execution *execution;
    double seconds;
};

struct run_input {
    struct ast_program *ast;
    const struct properties *props;
    struct problem *problem;
    const struct verify_question *question;
    const struct model *observer; /* level with observe snapshots, or NULL */
    const bool *wanted;           /* by property */
    bool initially;               /* look at the initial state only */
    bool quietly;                 /* statuses only: executions are not minimised */
    double seconds;               /* give up after that; 0: never */
    struct zx_pool *pool;
    struct arena *arena;
};
typedef VEC(struct run_item) run_items;

/* Appends an item for every wanted property that occurs in the problem. */
void run_bounded(const struct run_input *in, run_items *out);

#endif
