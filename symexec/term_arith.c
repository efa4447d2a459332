/* Arithmetic and bit operations.
 *
 * Constants are folded, what the intervals decide is decided, and bit operations with constant
 * masks and counts become arithmetic (x & 7 is x mod 8, x >> 2 is x div 4), because solvers for
 * integer arithmetic are far better at that than at bits. */
#include <assert.h>

#include "symexec/term_internal.h"

static const struct term *get(const struct term_store *s, term_id t)
{
    return term_get(s, t);
}

static bool is_value(const struct term_store *s, term_id t, term_int v)
{
    return get(s, t)->op == TERM_OP_CONST && get(s, t)->lo == v;
}

/* Fold an operation on constants; TERM_NONE if an operand is not one. */
static term_id fold(struct term_store *s, enum term_op op, int bits, bool is_signed, term_id a,
                    term_id b)
{
    if (!term_is_const(s, a) || (b != TERM_NONE && !term_is_const(s, b)))
        return TERM_NONE;
    struct term like = {.op = (uint8_t)op, .bits = (uint8_t)bits, .is_signed = is_signed};
    term_int v[3] = {get(s, a)->lo, b == TERM_NONE ? 0 : get(s, b)->lo, 0};
    return term_const(s, term_apply(&like, v));
}

static term_id make2(struct term_store *s, enum term_op op, term_id a, term_id b)
{
    return term_make(s, op, 0, false, a, b, TERM_NONE);
}

/* ---- sums and products --------------------------------------------------------------------- */

term_id term_add(struct term_store *s, term_id a, term_id b)
{
    struct term_linear f = {0};
    if (is_value(s, a, 0))
        return b;
    if (is_value(s, b, 0))
        return a;
    if (term_linear_add(s, &f, a, 1) && term_linear_add(s, &f, b, 1)) {
        term_linear_sort(&f);
        return term_linear_build(s, &f, 0, f.k);
    }
    if (term_is_const(s, a) || get(s, b)->op == TERM_OP_ADD)
        return make2(s, TERM_OP_ADD, b, a);
    return make2(s, TERM_OP_ADD, a, b);
}

term_id term_neg(struct term_store *s, term_id a)
{
    return term_mul(s, a, term_const(s, -1));
}

term_id term_sub(struct term_store *s, term_id a, term_id b)
{
    return term_add(s, a, term_neg(s, b));
}

static term_id mul_const(struct term_store *s, term_id a, term_id k)
{
    struct term_linear f = {0};
    term_int v = get(s, k)->lo;
    if (v == 0)
        return k;
    if (v == 1)
        return a;
    if (term_linear_add(s, &f, a, v)) {
        term_linear_sort(&f);
        return term_linear_build(s, &f, 0, f.k);
    }
    return make2(s, TERM_OP_MUL, a, k);
}

/* A choice between two constants times something: choose between two linear terms. */
static term_id mul_choice(struct term_store *s, term_id a, term_id b)
{
    const struct term *t = get(s, a);
    if (t->op != TERM_OP_ITE || !term_is_const(s, t->arg[1]) || !term_is_const(s, t->arg[2]))
        return TERM_NONE;
    term_id c = t->arg[0], x = t->arg[1], y = t->arg[2];
    term_id bx = term_mul(s, b, x), by = term_mul(s, b, y);
    return term_ite(s, c, bx, by);
}

term_id term_mul(struct term_store *s, term_id a, term_id b)
{
    term_id r = fold(s, TERM_OP_MUL, 0, false, a, b);
    /* Folding is modulo 2^128: exact unless the product is beyond, below a WRAP, where it does. */
    if (r)
        return r;
    if (term_is_const(s, a))
        return mul_const(s, b, a);
    if (term_is_const(s, b))
        return mul_const(s, a, b);
    r = mul_choice(s, a, b);
    if (!r)
        r = mul_choice(s, b, a);
    if (r)
        return r;
    return a < b ? make2(s, TERM_OP_MUL, a, b) : make2(s, TERM_OP_MUL, b, a);
}

/* ---- division ------------------------------------------------------------------------------ */

term_id term_fdiv(struct term_store *s, term_id a, term_int k)
{
    assert(k > 0);
    term_id kt = term_const(s, k), r = fold(s, TERM_OP_FDIV, 0, false, a, kt);
    if (r || k == 1)
        return r ? r : a;
    const struct term *t = get(s, a);
    if (t->op == TERM_OP_FDIV && get(s, t->arg[1])->lo < (term_int)1 << 62 && k < (term_int)1 << 62)
        return term_fdiv(s, t->arg[0], k * get(s, t->arg[1])->lo);
    return make2(s, TERM_OP_FDIV, a, kt);
}

term_id term_fmod(struct term_store *s, term_id a, term_int m)
{
    assert(m > 0);
    term_id mt = term_const(s, m), r = fold(s, TERM_OP_FMOD, 0, false, a, mt);
    if (r)
        return r;
    const struct term *t = get(s, a);
    if (t->lo >= 0 && t->hi < m)
        return a;
    if (t->op == TERM_OP_FMOD && get(s, t->arg[1])->lo % m == 0)
        return term_fmod(s, t->arg[0], m);
    return make2(s, TERM_OP_FMOD, a, mt);
}

term_id term_tdiv(struct term_store *s, term_id a, term_id b)
{
    term_id r = fold(s, TERM_OP_TDIV, 0, false, a, b);
    if (r)
        return r;
    if (is_value(s, b, 1))
        return a;
    if (is_value(s, b, -1))
        return term_neg(s, a);
    if (is_value(s, b, 0))
        return b; /* unspecified: 0 */
    if (get(s, a)->lo >= 0 && term_is_const(s, b) && get(s, b)->lo > 0)
        return term_fdiv(s, a, get(s, b)->lo);
    return make2(s, TERM_OP_TDIV, a, b);
}

term_id term_trem(struct term_store *s, term_id a, term_id b)
{
    term_id r = fold(s, TERM_OP_TREM, 0, false, a, b);
    if (r)
        return r;
    if (is_value(s, b, 1) || is_value(s, b, -1) || is_value(s, b, 0))
        return term_const(s, 0);
    if (get(s, a)->lo >= 0 && term_is_const(s, b)) {
        term_int m = get(s, b)->lo;
        return term_fmod(s, a, m < 0 ? -m : m);
    }
    return make2(s, TERM_OP_TREM, a, b);
}

/* ---- conversion ---------------------------------------------------------------------------- */

static bool in_type(const struct term *t, int bits, bool is_signed)
{
    return t->lo >= term_type_min(bits, is_signed) && t->hi <= term_type_max(bits, is_signed);
}

term_id term_wrap(struct term_store *s, int bits, bool is_signed, term_id a)
{
    const struct term *t = get(s, a);
    assert(bits > 1 && t->sort == TERM_INT);
    if (in_type(t, bits, is_signed))
        return a;
    if (term_is_const(s, a))
        return fold(s, TERM_OP_WRAP, bits, is_signed, a, TERM_NONE);
    if (t->op == TERM_OP_WRAP && t->bits >= bits)
        return term_wrap(s, bits, is_signed, t->arg[0]);
    if (!is_signed && t->lo >= 0) /* the same, but known to more rules */
        return term_fmod(s, a, term_type_max(bits, false) + 1);
    return term_make(s, TERM_OP_WRAP, bits, is_signed, a, TERM_NONE, TERM_NONE);
}

term_id term_fit(struct term_store *s, int bits, bool is_signed, term_id a)
{
    const struct term *t = get(s, a);
    if (in_type(t, bits, is_signed) || term_is_const(s, a))
        return a;
    return term_make(s, TERM_OP_FIT, bits, is_signed, a, TERM_NONE, TERM_NONE);
}

/* ---- bits ---------------------------------------------------------------------------------- */

static bool is_flag(const struct term_store *s, term_id t)
{
    return get(s, t)->lo >= 0 && get(s, t)->hi <= 1;
}

/* The k with v = 2^k, or -1. */
static int exponent(term_int v)
{
    if (v <= 0 || (v & (v - 1)) != 0)
        return -1;
    int k = 0;
    while (v >> k != 1)
        k++;
    return k;
}

/* x & mask: low bits, high bits or one bit; TERM_NONE for other masks.  All are exact for negative
 * x too, read as two's complement, because FDIV rounds down and FMOD is not negative. */
static term_id band_mask(struct term_store *s, int bits, term_id x, term_int mask)
{
    term_int modulus = (term_int)1 << bits;
    if (mask < 0)
        mask += modulus;
    if (mask == 0)
        return term_const(s, 0);
    if (mask == modulus - 1)
        return x;
    if (exponent(mask + 1) > 0)
        return term_fmod(s, x, mask + 1);
    if (exponent(modulus - mask) >= 0) /* also the sign bit alone, which is negative if signed */
        return term_sub(s, x, term_fmod(s, x, modulus - mask));
    int k = exponent(mask);
    if (k < 0)
        return TERM_NONE;
    return term_mul(s, term_fmod(s, term_fdiv(s, x, mask), 2), term_const(s, mask));
}

term_id term_band(struct term_store *s, int bits, bool is_signed, term_id a, term_id b)
{
    term_id r = fold(s, TERM_OP_BAND, bits, is_signed, a, b);
    if (r || a == b)
        return r ? r : a;
    if (term_is_const(s, a))
        return term_band(s, bits, is_signed, b, a);
    if (term_is_const(s, b)) {
        r = band_mask(s, bits, a, get(s, b)->lo);
        if (r)
            return r;
    }
    if (is_flag(s, a) && is_flag(s, b))
        return term_from_bool(s, term_and(s, term_truth(s, a), term_truth(s, b)));
    return a < b ? term_make(s, TERM_OP_BAND, bits, is_signed, a, b, TERM_NONE)
                 : term_make(s, TERM_OP_BAND, bits, is_signed, b, a, TERM_NONE);
}

static bool all_ones(const struct term_store *s, int bits, bool is_signed, term_id t)
{
    return is_value(s, t, is_signed ? -1 : term_type_max(bits, false));
}

term_id term_bor(struct term_store *s, int bits, bool is_signed, term_id a, term_id b)
{
    term_id r = fold(s, TERM_OP_BOR, bits, is_signed, a, b);
    if (r || a == b)
        return r ? r : a;
    if (is_value(s, a, 0) || all_ones(s, bits, is_signed, b))
        return b;
    if (is_value(s, b, 0) || all_ones(s, bits, is_signed, a))
        return a;
    if (is_flag(s, a) && is_flag(s, b))
        return term_from_bool(s, term_or(s, term_truth(s, a), term_truth(s, b)));
    return a < b ? term_make(s, TERM_OP_BOR, bits, is_signed, a, b, TERM_NONE)
                 : term_make(s, TERM_OP_BOR, bits, is_signed, b, a, TERM_NONE);
}

term_id term_bxor(struct term_store *s, int bits, bool is_signed, term_id a, term_id b)
{
    term_id r = fold(s, TERM_OP_BXOR, bits, is_signed, a, b);
    if (r || a == b)
        return r ? r : term_const(s, 0);
    if (is_value(s, a, 0))
        return b;
    if (is_value(s, b, 0))
        return a;
    if (all_ones(s, bits, is_signed, a))
        return term_bnot(s, bits, is_signed, b);
    if (all_ones(s, bits, is_signed, b))
        return term_bnot(s, bits, is_signed, a);
    if (is_flag(s, a) && is_flag(s, b))
        return term_from_bool(s, term_not(s, term_eq(s, a, b)));
    return a < b ? term_make(s, TERM_OP_BXOR, bits, is_signed, a, b, TERM_NONE)
                 : term_make(s, TERM_OP_BXOR, bits, is_signed, b, a, TERM_NONE);
}

term_id term_bnot(struct term_store *s, int bits, bool is_signed, term_id a)
{
    return term_sub(s, term_const(s, is_signed ? -1 : term_type_max(bits, false)), a);
}

/* A constant count makes it arithmetic with a power of two; one that is out of range gives 0. */
static term_id shift(struct term_store *s, enum term_op op, int bits, bool is_signed, term_id a,
                     term_id b)
{
    term_id r = fold(s, op, bits, is_signed, a, b);
    if (r)
        return r;
    if (is_value(s, a, 0))
        return a;
    if (!term_is_const(s, b))
        return term_make(s, op, bits, is_signed, a, b, TERM_NONE);
    term_int k = get(s, b)->lo;
    if (k < 0 || k >= bits)
        return term_const(s, 0);
    term_int power = (term_int)1 << (int)k;
    if (op == TERM_OP_SHR)
        return term_fdiv(s, a, power);
    return term_wrap(s, bits, is_signed, term_mul(s, a, term_const(s, power)));
}

term_id term_shl(struct term_store *s, int bits, bool is_signed, term_id a, term_id b)
{
    return shift(s, TERM_OP_SHL, bits, is_signed, a, b);
}

term_id term_shr(struct term_store *s, int bits, bool is_signed, term_id a, term_id b)
{
    return shift(s, TERM_OP_SHR, bits, is_signed, a, b);
}

/* ---- any operation ------------------------------------------------------------------------- */

term_id term_rebuild(struct term_store *s, term_id like, const term_id arg[3])
{
    struct term t = *get(s, like);
    switch ((enum term_op)t.op) {
    case TERM_OP_NOT:
        return term_not(s, arg[0]);
    case TERM_OP_AND:
        return term_and(s, arg[0], arg[1]);
    case TERM_OP_ITE:
        return term_ite(s, arg[0], arg[1], arg[2]);
    case TERM_OP_EQ:
        return term_eq(s, arg[0], arg[1]);
    case TERM_OP_LE:
        return term_le(s, arg[0], arg[1]);
    case TERM_OP_ADD:
        return term_add(s, arg[0], arg[1]);
    case TERM_OP_MUL:
        return term_mul(s, arg[0], arg[1]);
    case TERM_OP_TDIV:
        return term_tdiv(s, arg[0], arg[1]);
    case TERM_OP_TREM:
        return term_trem(s, arg[0], arg[1]);
    case TERM_OP_FDIV:
        return term_fdiv(s, arg[0], get(s, arg[1])->lo);
    case TERM_OP_FMOD:
        return term_fmod(s, arg[0], get(s, arg[1])->lo);
    case TERM_OP_WRAP:
        return term_wrap(s, t.bits, t.is_signed, arg[0]);
    case TERM_OP_FIT:
        return term_fit(s, t.bits, t.is_signed, arg[0]);
    case TERM_OP_BAND:
        return term_band(s, t.bits, t.is_signed, arg[0], arg[1]);
    case TERM_OP_BOR:
        return term_bor(s, t.bits, t.is_signed, arg[0], arg[1]);
    case TERM_OP_BXOR:
        return term_bxor(s, t.bits, t.is_signed, arg[0], arg[1]);
    case TERM_OP_SHL:
        return term_shl(s, t.bits, t.is_signed, arg[0], arg[1]);
    case TERM_OP_SHR:
        return term_shr(s, t.bits, t.is_signed, arg[0], arg[1]);
    default:
        return like;
    }
}
