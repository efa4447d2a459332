/* What the slot encoding (slot.c) shares with its lemmas (slot_lemma.c). */
#ifndef ENCODE_SLOT_INTERNAL_H
#define ENCODE_SLOT_INTERNAL_H

#include "encode/enc_internal.h"

/* What a transaction does to one row. */
struct slot_effect {
    uint32_t table;
    uint64_t row;
    Z3_ast *hits; /* by write of the transaction: it happens and writes this row */
    Z3_ast kept;  /* no write does */
};

struct slot_lemmas;

struct slots {
    uint32_t n;       /* slots = transactions */
    Z3_ast *at;       /* at[i * n + q]: p_iq */
    Z3_ast *snapshot; /* snapshot[i * (n + 1) + q]: i sees Y_q; NULL: not by slots */
    uint32_t *first;  /* by table: its first cell */
    uint32_t n_cells, n_rows;
    struct slot_effect *effects; /* effects[i * n_rows + row] */
    Z3_ast **state;              /* state[q][cell] */
    bool no_conflict;            /* every level has NOCONFLICT */
    struct slot_lemmas *lemmas;
};

/* The pieces of the encoding, for the solver `to`. */
Z3_ast *slot_new_state(struct enc *e, const char *name);
/* If `when`, transaction i takes `before` to `after`. */
void slot_step(struct enc *e, struct z3ctx *to, uint32_t i, Z3_ast when, Z3_ast *before,
               Z3_ast *after);
/* If `when`, the read sees the state. */
void slot_read(struct enc *e, struct z3ctx *to, const struct prob_read *r, Z3_ast *state,
               Z3_ast when);
/* Transaction i writes or locks the row that it reads here. */
Z3_ast slot_writes_back(struct enc *e, uint32_t i, const struct prob_read *r);
/* If `when`, the state is the one that the writes of transaction i land on. */
void slot_fresh(struct enc *e, struct z3ctx *to, uint32_t i, Z3_ast *state, Z3_ast when);
/* An atom: the invariant holds in the state, for the values of its parameters that it has in
 * `pred`. */
Z3_ast slot_holds(struct enc *e, struct z3ctx *to, const struct prob_predicate *pred, Z3_ast *state,
                  const char *name);

/* Lemmas.  open: after the effects are known.  about: for each invariant, with its atoms (n + 1,
 * one per state).  learn: before the first check. */
void slot_lemmas_open(struct enc *e);
void slot_lemmas_about(struct enc *e, const struct prob_predicate *pred, Z3_ast *chain);
void slot_lemmas_learn(struct enc *e);
void slot_lemmas_close(struct enc *e);

#endif
