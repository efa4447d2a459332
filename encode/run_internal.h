/* One bounded run, as its files see it: run.c asks and answers, run_targets.c says what there is to
 * ask, run_holds.c what an answer HOLDS rests on. */
#ifndef ENCODE_RUN_INTERNAL_H
#define ENCODE_RUN_INTERNAL_H

#include "encode/race.h"
#include "encode/robust.h"
#include "encode/run.h"

/* A property and what reaches it. */
struct target {
    uint32_t property;
    struct prob_predicate *pred; /* or NULL: points of the problem */
    size_t pred_point;           /* a check inside the predicate, or SIZE_MAX: its value */
    enum enc_place place;
    uint32_t goal;
    bool unsettled;
    enum verify_reach reach;
    const struct sx_point *fails;
};

struct run {
    const struct run_input *in;
    struct problem *p;
    struct enc *e;
    VEC(struct prob_predicate *) preds;
    VEC(struct target) targets;
    uint32_t observer_sets;
    run_items *out;
    size_t first; /* of this run in `out` */
    double start;
    bool bits, slots;
    bool retry, exhausted, incomplete; /* why the attempt gave up, if it did */
    unsigned work;
    struct race *race;     /* or NULL: alone */
    struct robust *robust; /* questions with a judge: while there is an encoding */
    unsigned refuted;      /* serial orders, in this attempt */
};

/* ---- run_targets.c ------------------------------------------------------------------------- */

/* The predicates that are wanted, with the observer's kind of snapshot. */
void run_copy_predicates(struct run *r);
/* Where the predicate is to hold. */
enum enc_place run_place(const struct run *r, const struct prob_predicate *pred);
/* Everything that is wanted and not settled becomes a target. */
void run_find_targets(struct run *r);

/* ---- run.c --------------------------------------------------------------------------------- */

/* The property's verdict. */
void run_settle(struct run *r, struct target *t, enum verify_status status, const char *reason,
                struct execution *x);
/* The solver's execution, run again by the interpreter; *error says what does not agree, or NULL.
 */
struct execution *run_confirmed(struct run *r, const struct target *t, const char **error);
/* An execution that is to be shown: which values of uninitialised locals it uses, and more. */
void run_complete(struct run *r, const struct target *t, struct execution *x);
/* A check of one goal that another thread may spare us: then it is over. */
enum enc_answer run_check(struct run *r, uint32_t goal);
bool run_spared(const struct run *r);
/* The solver did not answer: try another encoding, or settle the rest as UNKNOWN. */
void run_give_up(struct run *r);
/* All targets that are not settled yet get this status. */
void run_settle_rest(struct run *r, enum verify_status status, const char *reason);

/* ---- run_robust.c -------------------------------------------------------------------------- */

/* The solver has an execution whose dependencies are cyclic: not serializable, or an order is
 * refuted and the search goes on. */
void run_judge(struct run *r, struct target *t);

/* ---- run_holds.c --------------------------------------------------------------------------- */

/* No goal of the rest can be reached: they hold, if some execution exists and no loop bound can be
 * hit. */
void run_settle_holding(struct run *r);

#endif
