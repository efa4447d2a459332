/* An encoded problem: formula, solver, and the questions ("goals") that can be asked of it.
 *
 * Both encodings (event.c, slot.c) build a struct enc; the code that asks (verify.c, minimise.c)
 * and the code that reads the answer (decode.c) need not know which.  A goal is a condition on
 * executions: "the invariant fails in the final state", "this assertion fires".  Goals are
 * numbered; a check asks for an execution in which all goals given are true.
 *
 * The formula itself says: this is an execution of the problem that the model allows, from an
 * allowed initial state.  That assumptions hold is part of each goal, not of the formula, because
 * some goals ask for executions in which those of one transaction do not hold (enc_goal_if). */
#ifndef ENCODE_ENC_H
#define ENCODE_ENC_H

#include <stdio.h>

#include "encode/result/execution.h"
#include "encode/problem.h"

struct enc;
struct z3ctx_pool;
struct z3ctx_stop;

enum enc_answer { ENC_NO, ENC_YES, ENC_UNKNOWN };

struct enc_options {
    const struct model *observer; /* level of an observer that sees any allowed set; NULL: none */
    uint32_t observer_sets;       /* its visible sets: the most that any predicate needs */
    struct z3ctx_pool *pool;      /* or NULL */
    unsigned seed;
    bool bits;               /* bit-vectors instead of integers */
    struct z3ctx_stop *stop; /* or NULL */
    double seconds;          /* for each check; 0: no limit */
    unsigned work;           /* limit for each check in the solver's units of work; 0: no limit */
};

/* A solver context that the encodings of one thread may share. */
struct z3ctx_pool *enc_pool_new(void);
void enc_pool_free(struct z3ctx_pool *p);
/* Wall clock (stats_wall_seconds): whatever uses the pool from now on ends by then; 0: no limit. */
void enc_pool_deadline(struct z3ctx_pool *p, double deadline);
/* A way for another thread to end checks: options.stop.  When enc_stop_now returns, no check is
 * running, and none will start.  A pool whose check was ended must be renewed before it is used
 * again. */
struct z3ctx_stop *enc_stop_new(void);
void enc_stop_free(struct z3ctx_stop *s);
void enc_stop_now(struct z3ctx_stop *s);
bool enc_stop_asked(struct z3ctx_stop *s);
void enc_pool_renew(struct z3ctx_pool *p);

/* Where a predicate is looked at. */
enum enc_place {
    ENC_FINAL,   /* after all transactions */
    ENC_INITIAL, /* before all */
    ENC_SEEN     /* by the observer */
};

struct enc *enc_event(struct problem *p, const struct enc_options *options);
struct enc *enc_slot(struct problem *p, const struct enc_options *options);
/* Can the slot encoding express this problem: one level with one snapshot per transaction, few
 * rows? */
bool enc_slot_suits(const struct problem *p, const struct enc_options *options);
void enc_free(struct enc *e);

/* Do the terms of the problem and the predicates need bit-vectors? */
bool enc_needs_bits(const struct problem *p, struct prob_predicate *const *preds, size_t n);

/* Goals. */
uint32_t enc_goal_violated(struct enc *e, struct prob_predicate *pred, enum enc_place place);
uint32_t enc_goal_fires(struct enc *e, size_t point); /* problem.points[point] */
uint32_t enc_goal_predicate_point(struct enc *e, struct prob_predicate *pred, size_t point,
                                  enum enc_place place); /* a check inside a predicate */
/* A condition on what the predicate reads, of the initial state. */
uint32_t enc_goal_initially(struct enc *e, struct prob_predicate *pred, term_id condition);
/* A condition on transaction txn (or PROB_SCENARIO), where the assumptions of all others hold. */
uint32_t enc_goal_if(struct enc *e, term_id condition, uint32_t txn);
uint32_t enc_goal_unwinds(struct enc *e); /* some loop bound is hit */
uint32_t enc_goal_exists(struct enc *e);  /* an execution, any */
uint32_t enc_goal_any(struct enc *e, const uint32_t *goals, size_t n);
/* Assume a condition on what the predicate reads, of the initial state, for good. */
void enc_assume_initially(struct enc *e, struct prob_predicate *pred, term_id condition);

enum enc_answer enc_check(struct enc *e, const uint32_t *goals, size_t n);
uint64_t enc_checks(const struct enc *e);          /* so far */
double enc_seconds(const struct enc *e);           /* wall clock, in checks so far */
const char *enc_why(const struct enc *e);          /* after ENC_UNKNOWN */
bool enc_exhausted(const struct enc *e);           /* likewise: `work` was spent */
void enc_limit_work(struct enc *e, unsigned work); /* for each check from now on; 0: no limit */
void enc_dump(struct enc *e, const char *comment, const uint32_t *goals, size_t n, FILE *out);

/* After ENC_YES. */
bool enc_goal_true(struct enc *e, uint32_t goal); /* its literal is true in the model */
bool enc_goal_met(struct enc *e, uint32_t goal);  /* its condition holds in the model */
term_int enc_value(struct enc *e, term_id leaf);
bool enc_condition(struct enc *e, term_id condition); /* a Bool term of the formula */
term_int enc_initial_value(struct enc *e, uint32_t table, uint64_t row, uint32_t field);
bool enc_ar(struct enc *e, uint32_t i, uint32_t j);
/* i may be the observer: the number of transactions. */
bool enc_vis(struct enc *e, uint32_t i, uint32_t set, uint32_t j);
const struct model *enc_observer(const struct enc *e); /* its level, or NULL */
bool enc_total(const struct enc *e);                   /* vis = ar */

#endif
