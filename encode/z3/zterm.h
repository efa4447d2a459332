/* Terms to Z3 expressions.
 *
 * Two ways to represent an Int term.  INT: a mathematical integer, as terms are; the default, and
 * much the faster for a solver.  BITS: a signed bit-vector just wide enough for the term's
 * interval, computed so that no operation can overflow; for programs that take integers apart into
 * bits. */
#ifndef ENCODE_ZTERM_H
#define ENCODE_ZTERM_H

#include "base/map.h"
#include "encode/z3/z3ctx.h"
#include "symexec/term.h"

enum zterm_mode { ZTERM_INT, ZTERM_BITS };

struct zterm {
    struct z3ctx *z;
    const struct term_store *store;
    enum zterm_mode mode;
    VEC(Z3_ast) done;  /* by term; NULL: not yet */
    VEC(Z3_ast) bits;  /* by term, likewise: terms in [0, 1] as Bools */
    struct map onehot; /* term → index + 1 of its first literal in `hot` */
    z3ctx_asts hot;
    struct map index_eq; /* pairs of index terms → expression */
    VEC(term_id) stack;
    /* What a leaf is for the solver: a Bool if its values are 0 and 1, else a number; NULL: a new
     * unknown.  May be NULL itself.  It may translate other terms. */
    Z3_ast (*leaf)(void *arg, uint32_t leaf);
    void *leaf_arg;
};

void zterm_init(struct zterm *t, struct z3ctx *z, const struct term_store *store,
                enum zterm_mode mode);
void zterm_free(struct zterm *t);

Z3_ast zterm(struct zterm *t, term_id id); /* Bool or number, by the term's sort */
/* A term in [0, 1] as a Bool. */
Z3_ast zterm_bit(struct zterm *t, term_id id);
/* Comparisons of numbers of any width. */
Z3_ast zterm_eq(struct zterm *t, Z3_ast a, Z3_ast b);
Z3_ast zterm_le(struct zterm *t, Z3_ast a, Z3_ast b);
/* Equality of two index terms below `size`: propositional where the domain is small. */
Z3_ast zterm_index_eq(struct zterm *t, term_id a, term_id b, uint64_t size);
/* Give an index term its one-hot literals (if it is not constant and size is small), before the
 * terms that mention it are translated. */
void zterm_index(struct zterm *t, term_id index, uint64_t size);
Z3_ast zterm_value(struct zterm *t, term_int v);
Z3_ast zterm_between(struct zterm *t, Z3_ast a, term_int lo, term_int hi);
void zterm_bound(struct zterm *t, Z3_ast a, term_int lo, term_int hi); /* asserts it */
/* A number of type [lo, hi] made to fit a function argument: the same sort for the same range. */
Z3_sort zterm_sort(struct zterm *t, term_int lo, term_int hi);
Z3_ast zterm_as(struct zterm *t, Z3_ast a, Z3_sort sort);
/* The number in the model. */
term_int zterm_model(struct zterm *t, Z3_ast number);

/* Does the DAG below the roots need bits: &, |, ^, shifts by variables?  (Conversions that wrap are
 * `mod` in INT mode.) */
bool zterm_needs_bits(const struct term_store *store, const term_id *roots, size_t n);

#endif
