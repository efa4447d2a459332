/* Terms: the values and conditions of symbolic execution, without a solver.
 *
 * Two sorts.  Int terms are *mathematical integers*; C's treatment of a result is explicit:
 * unsigned arithmetic and conversions are WRAP; a signed operation is the exact result, marked FIT,
 * with a separately recorded overflow condition (see summary.h).  Bool terms are conditions; C's
 * 0/1 results are ITE(c, 1, 0).
 *
 * A term is an index into a store; equal terms have equal indices (hash-consing), so `==` is
 * syntactic equality and a set of terms is a DAG.  Arguments have smaller indices than the term
 * itself, always: a loop from low to high is a bottom-up traversal.
 *
 * Every Int term carries an interval [lo, hi] that contains its value; builders fold what the
 * intervals decide (a range check that cannot fail becomes `true`, a WRAP that changes nothing
 * disappears).  An interval that would not fit in 128 bits is [TERM_MIN, TERM_MAX] and means
 * "unbounded"; such a term (a product of two 64-bit unsigned values) occurs only below a WRAP.
 *
 * Normal form, for those who walk terms:
 *   - Bool: TRUE, FALSE, NOT, binary AND, ITE, and the atoms LE(a, b) and EQ(a, b) over Int.
 *     No OR (it is NOT AND NOT NOT), no LT (it is NOT LE with the sides exchanged).
 *   - LE with a constant has it on the right; EQ too.
 *   - ADD is binary, nested to the left, a constant last; MUL by a constant has it on the right;
 *     there is no subtraction and no negation (ADD of MUL by -1).
 *   - sums of at most TERM_LINEAR_MAX addends have like addends collected, also across LE and EQ.
 * These are conveniences: nothing depends on them for correctness. */
#ifndef SYMEXEC_TERM_H
#define SYMEXEC_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/c_integer.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

typedef uint32_t term_id;
typedef c_int term_int;

#define TERM_NONE 0u  /* no term; never an argument */
#define TERM_FALSE 1u /* the same in every store */
#define TERM_TRUE 2u
#define TERM_MAX ((term_int)(~(unsigned __int128)0 >> 1))
#define TERM_MIN (-TERM_MAX)
#define TERM_LINEAR_MAX 12

enum term_op {
    TERM_OP_NONE,
    TERM_OP_FALSE,
    TERM_OP_TRUE,
    TERM_OP_NOT, /* arg[0] */
    TERM_OP_AND, /* arg[0], arg[1] */
    TERM_OP_ITE, /* arg[0] ? arg[1] : arg[2]; of the sort of arg[1] and arg[2] (both alike) */
    TERM_OP_EQ,  /* Int == Int */
    TERM_OP_LE,  /* Int <= Int */

    TERM_OP_CONST, /* the value is lo (= hi) */
    TERM_OP_LEAF,  /* an input: arg[0] is the index of its struct term_leaf */
    TERM_OP_ADD,
    TERM_OP_MUL,
    TERM_OP_TDIV, /* quotient truncated toward zero; unspecified (the evaluator: 0) if arg[1] = 0 */
    TERM_OP_TREM, /* remainder of it, with the sign of arg[0]; unspecified (0) if arg[1] = 0 */
    TERM_OP_FDIV, /* floor of arg[0] / arg[1], arg[1] a positive constant (right shifts) */
    TERM_OP_FMOD, /* arg[0] - arg[1] * FDIV, in [0, arg[1]), arg[1] a positive constant (masks) */

    /* The remaining ones have `bits` and `is_signed`.  Operands of the bit operations are values
     * of that type (already in its range), read as two's complement of that width. */
    TERM_OP_WRAP, /* the value of the type that is congruent to arg[0] modulo 2^bits */
    TERM_OP_FIT,  /* arg[0], known to be in the type's range wherever the value matters (elsewhere
                     the execution has already rolled back or failed a check): the identity */
    TERM_OP_BAND,
    TERM_OP_BOR,
    TERM_OP_BXOR,
    TERM_OP_SHL, /* WRAP(arg[0] * 2^arg[1]); unspecified (0) unless 0 <= arg[1] < bits */
    TERM_OP_SHR, /* floor(arg[0] / 2^arg[1]): arithmetic if negative; unspecified (0) likewise */
    TERM_OP_COUNT
};

enum term_sort { TERM_BOOL, TERM_INT };

struct term {
    uint8_t op;        /* enum term_op */
    uint8_t sort;      /* enum term_sort */
    uint8_t bits;      /* 1 (bool), 8, 16, 32 or 64; 0 where it has no meaning */
    uint8_t is_signed; /* with bits */
    term_id arg[3];    /* TERM_NONE beyond term_arity() */
    term_int lo, hi;   /* Bool terms: 0, 1 */
};

/* What an input stands for. */
enum term_leaf_kind {
    TERM_LEAF_PARAM,  /* a scalar part of a parameter: a = its number in the transaction's inputs */
    TERM_LEAF_NONDET, /* nondet_int() and the like: a = its number in the inputs */
    TERM_LEAF_EXT,    /* the value of field b in external read a of the transaction (summary.h) */
    TERM_LEAF_RET,    /* in a scenario: the value returned by call a */
    TERM_LEAF_SIZE,   /* the number of rows N of the dimensions of any size; at least 1.  One leaf
                         for the whole program (sx_program.size), whose owner is UINT32_MAX */
    TERM_LEAF_BOUND,  /* the index of a fold that is a folds deep (0: the outermost); shared by all
                         folds of one summary at that depth, so that equal bodies are equal terms.
                         Its interval is that of int, without the greatest value */
    TERM_LEAF_FOLD,   /* the result of fold a of the summary (summary.h) */
    TERM_LEAF_FREE    /* anything else; a and b belong to whoever made it */
};

struct term_leaf {
    enum term_leaf_kind kind;
    uint32_t owner; /* which summary's leaf this is (sx_summary.id); only SIZE is shared */
    uint32_t a, b;
    uint8_t bits, is_signed; /* of the C type; bits = 1 for bool */
    term_int lo, hi;
    const char *name; /* in the user's words, for PARAM, NONDET, RET and FREE; NULL for EXT */
    term_id term;     /* the LEAF term */
};

struct term_store {
    VEC(struct term) terms; /* terms.data[id] */
    VEC(struct term_leaf) leaves;
    uint32_t *slots; /* hash-consing table: ids, or 0 */
    size_t slot_cap;
    struct arena arena; /* the leaves' names */
};

void term_store_init(struct term_store *s);
/* A store with the same terms and leaves, which then grows on its own; the leaves' names stay those
 * of the original, which must outlive it. */
void term_store_copy(const struct term_store *s, struct term_store *out);
void term_store_free(struct term_store *s);

static inline const struct term *term_get(const struct term_store *s, term_id t)
{
    return &s->terms.data[t];
}
int term_arity(const struct term *t); /* 0..3; LEAF and CONST: 0 */
const char *term_op_name(enum term_op op);
static inline bool term_is_const(const struct term_store *s, term_id t)
{
    return s->terms.data[t].op == TERM_OP_CONST;
}
static inline bool term_is_bool(const struct term_store *s, term_id t)
{
    return s->terms.data[t].sort == TERM_BOOL;
}
/* The least and the greatest value of a C type; bits 1: bool. */
static inline term_int term_type_min(int bits, bool is_signed)
{
    return c_min((struct c_type){(uint8_t)bits, is_signed});
}
static inline term_int term_type_max(int bits, bool is_signed)
{
    return c_max((struct c_type){(uint8_t)bits, is_signed});
}

/* ---- builders; all simplify ---------------------------------------------------------------- */

term_id term_leaf(struct term_store *s, struct term_leaf leaf); /* always a new leaf */
term_id term_const(struct term_store *s, term_int value);
static inline term_id term_bool(bool b)
{
    return b ? TERM_TRUE : TERM_FALSE;
}

term_id term_not(struct term_store *s, term_id a);
term_id term_and(struct term_store *s, term_id a, term_id b);
term_id term_or(struct term_store *s, term_id a, term_id b);
term_id term_implies(struct term_store *s, term_id a, term_id b);
term_id term_ite(struct term_store *s, term_id c, term_id a, term_id b); /* Bool or Int */
term_id term_eq(struct term_store *s, term_id a, term_id b);             /* Int */
term_id term_le(struct term_store *s, term_id a, term_id b);
term_id term_lt(struct term_store *s, term_id a, term_id b);
term_id term_in_range(struct term_store *s, term_id a, term_int lo, term_int hi);
term_id term_truth(struct term_store *s, term_id a);     /* Int to Bool: a != 0 */
term_id term_from_bool(struct term_store *s, term_id c); /* Bool to Int: ITE(c, 1, 0) */

term_id term_add(struct term_store *s, term_id a, term_id b);
term_id term_sub(struct term_store *s, term_id a, term_id b);
term_id term_neg(struct term_store *s, term_id a);
term_id term_mul(struct term_store *s, term_id a, term_id b);
term_id term_tdiv(struct term_store *s, term_id a, term_id b);
term_id term_trem(struct term_store *s, term_id a, term_id b);
term_id term_fdiv(struct term_store *s, term_id a, term_int positive);
term_id term_fmod(struct term_store *s, term_id a, term_int positive);
term_id term_wrap(struct term_store *s, int bits, bool is_signed, term_id a);
term_id term_fit(struct term_store *s, int bits, bool is_signed, term_id a);
term_id term_band(struct term_store *s, int bits, bool is_signed, term_id a, term_id b);
term_id term_bor(struct term_store *s, int bits, bool is_signed, term_id a, term_id b);
term_id term_bxor(struct term_store *s, int bits, bool is_signed, term_id a, term_id b);
term_id term_bnot(struct term_store *s, int bits, bool is_signed, term_id a); /* arithmetic */
term_id term_shl(struct term_store *s, int bits, bool is_signed, term_id a, term_id b);
term_id term_shr(struct term_store *s, int bits, bool is_signed, term_id a, term_id b);
/* Build the same operation with other arguments (as many as term_arity says). */
term_id term_rebuild(struct term_store *s, term_id like, const term_id arg[3]);

/* ---- evaluation ---------------------------------------------------------------------------- */

/* The value of a leaf (an index into store->leaves).  It may call term_eval on the same evaluator
 * for *other* terms (the index terms of a read, say), as long as there is no cycle. */
typedef term_int (*term_leaf_fn)(void *arg, uint32_t leaf);

struct term_evaluator {
    const struct term_store *store;
    term_leaf_fn leaf;
    void *arg;
    VEC(term_int) value; /* by term, computed ones: */
    VEC(uint32_t) known; /* those with this number … */
    uint32_t generation; /* … plus 1 */
};
/* Exact in 128 bits; Bool terms give 0 or 1. Zero-initialise, set store, leaf and arg, evaluate as
 * often as you like (results are kept), free. */
term_int term_eval(struct term_evaluator *e, term_id t);
void term_evaluator_reset(struct term_evaluator *e); /* forget all values */
void term_evaluator_free(struct term_evaluator *e);
/* One operation on constants: what the evaluator and the constant folder do. */
term_int term_apply(const struct term *like, const term_int v[3]);

/* ---- substitution, traversal, printing ----------------------------------------------------- */

/* Replace leaves: fn gives the term for a leaf (of the same sort), or TERM_NONE to keep it.
 *
 * total: also remove FIT, whose range relies on checks on the path to it.  The result is exact
 * arithmetic that means the same on every path; the operands of bit operations, which must be in
 * the range of their type, are wrapped. */
struct term_subst {
    struct term_store *store;
    term_id (*fn)(void *arg, uint32_t leaf); /* NULL: all leaves stay */
    void *arg;
    bool total;
    struct map done; /* term → term, kept between calls */
};
term_id term_substitute(struct term_subst *s, term_id t);
void term_subst_free(struct term_subst *s);

/* Every term below the roots, once, arguments first. */
void term_each(const struct term_store *s, const term_id *roots, size_t n,
               void (*fn)(void *arg, term_id t), void *arg);
size_t term_dag_size(const struct term_store *s, const term_id *roots, size_t n);

/* C-like text.  `leaf` names a leaf (NULL: the leaf's own name).  A term whose tree would take more
 * than about `budget` nodes is cut short with "…" (0: no limit, which can be exponential). */
struct term_printer {
    const struct term_store *store;
    void (*leaf)(void *arg, uint32_t leaf, struct strbuf *out);
    void *arg;
    size_t budget;
    /* Optional, for values that have names (enums): names_of says which names the values of a leaf
     * have (NULL: none), name gives that of a value (NULL: it has none).  `names`: those of the
     * term itself. */
    const void *(*names_of)(void *arg, uint32_t leaf);
    const char *(*name)(void *arg, const void *names, term_int value);
    const void *names;
    /* Optional: a leaf that is a condition, or its negation.  False: it is none. */
    bool (*truth)(void *arg, uint32_t leaf, bool negated, struct strbuf *out);
};
void term_print(const struct term_printer *p, term_id t, struct strbuf *out);
void term_int_print(term_int v, struct strbuf *out);

#endif
