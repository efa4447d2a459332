/* Wishes: goals about the form of an execution, for making counterexamples small (minimise.c).
 * They are goals like those of enc.h, over either encoding; their terms are the problem's. */
#ifndef ENCODE_WISH_H
#define ENCODE_WISH_H

#include "encode/enc.h"

/* A number that the solver was free to choose: a leaf, or a cell of the initial state (any_state).
 */
struct wish_number {
    term_id leaf; /* TERM_NONE: the cell */
    uint32_t table, field;
    uint64_t row;
};

uint32_t wish_idle(struct enc *e, uint32_t txn); /* instances from txn on are idle */
/* Rows written by committed transactions, each counted once per transaction. */
uint32_t wish_writes(struct enc *e, unsigned at_most);
uint32_t wish_none(struct enc *e, const term_id *conditions, size_t n);
uint32_t wish_true(struct enc *e, term_id condition);
uint32_t wish_between(struct enc *e, const struct wish_number *n, term_int lo, term_int hi);
/* All of them are at most that far from zero. */
uint32_t wish_within(struct enc *e, const struct wish_number *v, size_t n, term_int bound);
/* ar and vis have these pairs, and maybe more.  ar: by transaction and transaction; vis: for all
 * visible sets, transaction after transaction, by transaction. */
uint32_t wish_ar(struct enc *e, const bool *pairs);
uint32_t wish_vis(struct enc *e, const bool *pairs);
/* Whatever one visible set of a transaction has, the later ones of that transaction have, too. */
uint32_t wish_growing(struct enc *e);

/* After ENC_YES. */
term_int wish_value(struct enc *e, const struct wish_number *n);

/* The solver's work so far, in its own units: the same on every machine. */
uint64_t wish_work(struct enc *e);

#endif
