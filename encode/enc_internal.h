/* What the encodings share.  See enc.h. */
#ifndef ENCODE_ENC_INTERNAL_H
#define ENCODE_ENC_INTERNAL_H

#include "encode/enc.h"
#include "encode/axioms.h"
#include "encode/z3/zterm.h"

/* A predicate whose reads have been tied to a state. */
struct enc_seen {
    struct prob_predicate *pred;
    enum enc_place place;
    Z3_ast active; /* part of every goal about it */
};

/* A read comes from this writer if `source` is true. */
struct enc_source {
    uint32_t writer;
    Z3_ast source;
};

struct enc {
    struct z3ctx z;
    struct zterm t;
    struct problem *p;
    struct order o;
    struct enc_options options;
    z3ctx_asts exists;     /* by transaction: its assumptions hold; then that INITIAL commits */
    Z3_ast all_exist;      /* all of these */
    Z3_ast never_unwinds;  /* no loop bound was hit by a transaction or the scenario */
    Z3_ast no_check_fails; /* no built-in check fails in a transaction or the scenario */
    z3ctx_asts goals;      /* literals */
    z3ctx_asts meaning;    /* what these literals imply */
    VEC(struct enc_seen) seen;
    /* any_state: a function per table and field from row numbers to values. */
    Z3_func_decl **init;
    /* Mixed levels with SER among them */
    bool mixed_ser;
    struct ser_order ser;
    VEC(struct enc_source) sources; /* noted by enc_read_ext */
    /* Ties the reads of a predicate to the state in that place (not ENC_INITIAL). */
    void (*tie_predicate)(struct enc *e, struct prob_predicate *pred, enum enc_place place,
                          Z3_ast active);
    void *extra;                    /* of slot.c */
    void (*prepare)(struct enc *e); /* before a check, or NULL */
    void (*close)(struct enc *e);   /* or NULL */
    struct arena arena;
};

/* Prepares everything except the effects of transactions on each other. */
struct enc *enc_new(struct problem *p, const struct enc_options *options);

/* A new goal that requires `a`. */
uint32_t enc_add_goal(struct enc *e, Z3_ast a);
/* A new goal that requires `a` of an execution that counts: all assumptions hold, no check fails,
 * no loop bound was hit. */
uint32_t enc_goal_execution(struct enc *e, Z3_ast a);
/* The rows are one row: same table, equal indices. */
Z3_ast enc_same_row(struct enc *e, struct prob_row a, struct prob_row b);
/* Cells: the value of a field as an expression, Bool for bool fields. */
bool enc_is_bit(const struct enc *e, uint32_t table, uint32_t field);
Z3_ast enc_cell(struct enc *e, uint32_t table, uint32_t field, term_id t);
/* In the initial state. */
Z3_ast enc_initial_cell(struct enc *e, struct prob_row row, uint32_t field);
/* Ties a read to the initial state. */
void enc_read_initial(struct enc *e, const struct prob_read *r);
/* Ties a read to the writes of the nodes whose literal vis(arg, j) is not false: EXT.  self: the
 * reader, or UINT32_MAX. */
typedef Z3_ast (*enc_sees)(void *arg, uint32_t j);
void enc_read_ext(struct enc *e, const struct prob_read *r, uint32_t self, enc_sees sees,
                  void *arg);

/* Transaction j writes the row. */
Z3_ast enc_writes_row(struct enc *e, uint32_t j, struct prob_row row);
/* Transactions i and j write a common row. */
Z3_ast enc_write_conflict(struct enc *e, uint32_t i, uint32_t j);

/* What calls of fresh give (fresh.c): rows of their own, of zeros in the state before their
 * transaction. */
void enc_fresh(struct enc *e);
void enc_fresh_distinct(struct enc *e); /* the first part alone */
/* The second part alone, of one transaction, for the solver `to`. */
void enc_fresh_zeros(struct enc *e, struct z3ctx *to, uint32_t txn);
/* Every state satisfies the CONSTRAINTs (constraints.c). */
void enc_constraints(struct enc *e);
/* NOCONFLICT for all pairs. */
void enc_conflicts(struct enc *e);
/* Levels of databases: FIRSTUPDATER and LOCKORDER for all pairs (touches.c). */
void enc_touches(struct enc *e);
/* A row by its number; its index terms' one-hot literals; the sort of a cell. */
struct prob_row enc_const_row(struct enc *e, uint32_t table, uint64_t row);
void enc_index_row(struct enc *e, struct prob_row row);
Z3_sort enc_cell_sort(struct enc *e, uint32_t table, uint32_t field);

#endif
