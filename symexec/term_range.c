/* Intervals of terms: a sound bound on the value of an operation from bounds on its operands.
 *
 * TERM_MIN and TERM_MAX stand for "unbounded": arithmetic saturates there.  They are far outside
 * what typed C values reach, so precision is lost only below a WRAP, which restores it. */
#include "symexec/term_internal.h"

static bool is_unbounded(term_int v)
{
    return v <= TERM_MIN || v >= TERM_MAX;
}

static term_int saturating_sum(term_int a, term_int b)
{
    term_int r;
    if (is_unbounded(a))
        return a;
    if (is_unbounded(b))
        return b;
    if (__builtin_add_overflow(a, b, &r) || is_unbounded(r))
        return a < 0 ? TERM_MIN : TERM_MAX;
    return r;
}

static term_int saturating_product(term_int a, term_int b)
{
    term_int r;
    if (a == 0 || b == 0)
        return 0;
    if (is_unbounded(a) || is_unbounded(b) || __builtin_mul_overflow(a, b, &r) || is_unbounded(r))
        return (a < 0) != (b < 0) ? TERM_MIN : TERM_MAX;
    return r;
}

term_int term_floor_div(term_int a, term_int positive)
{
    term_int q = a / positive;
    return a % positive < 0 ? q - 1 : q;
}

static term_int least(term_int a, term_int b)
{
    return a < b ? a : b;
}

static term_int greatest(term_int a, term_int b)
{
    return a > b ? a : b;
}

static struct term_range hull(term_int a, term_int b, term_int c, term_int d)
{
    return (struct term_range){least(least(a, b), least(c, d)),
                               greatest(greatest(a, b), greatest(c, d))};
}

/* A bound that stuck is no bound, and must not be taken for an exact one. */
static struct term_range unstick(struct term_range r)
{
    if (!is_unbounded(r.lo) && !is_unbounded(r.hi))
        return r;
    return (struct term_range){r.lo >= 0 ? 0 : TERM_MIN, TERM_MAX};
}

static struct term_range range_mul(struct term_range a, struct term_range b)
{
    return unstick(hull(saturating_product(a.lo, b.lo), saturating_product(a.lo, b.hi),
                        saturating_product(a.hi, b.lo), saturating_product(a.hi, b.hi)));
}

static term_int magnitude(struct term_range r)
{
    return greatest(r.lo < 0 ? -r.lo : r.lo, r.hi < 0 ? -r.hi : r.hi);
}

static struct term_range range_tdiv(struct term_range a, struct term_range b)
{
    if (b.lo == b.hi && b.lo != 0)
        return hull(a.lo / b.lo, a.hi / b.lo, a.lo / b.lo, a.hi / b.lo);
    term_int m = magnitude(a);
    if (b.lo >= 0) /* the quotient has the sign of a; 0 stands for division by zero */
        return (struct term_range){least(a.lo, 0), greatest(a.hi, 0)};
    return (struct term_range){-m, m};
}

static struct term_range range_trem(struct term_range a, struct term_range b)
{
    term_int m = greatest(magnitude(b) - 1, 0);
    return (struct term_range){a.lo < 0 ? greatest(a.lo, -m) : 0, a.hi > 0 ? least(a.hi, m) : 0};
}

static struct term_range range_fmod(struct term_range a, term_int m)
{
    if (a.lo >= 0 && a.hi < m)
        return a;
    return (struct term_range){0, m - 1};
}

/* The least 2^k - 1 that is not below v. */
static term_int mask_above(term_int v)
{
    term_int m = 0;
    while (m < v)
        m = m * 2 + 1;
    return m;
}

static struct term_range range_bits(const struct term *t, struct term_range a, struct term_range b)
{
    struct term_range type = {term_type_min(t->bits, t->is_signed),
                              term_type_max(t->bits, t->is_signed)};
    switch ((enum term_op)t->op) {
    case TERM_OP_BAND:
        if (a.lo >= 0 && b.lo >= 0)
            return (struct term_range){0, least(a.hi, b.hi)};
        if (a.lo >= 0 || b.lo >= 0)
            return (struct term_range){0, a.lo >= 0 ? a.hi : b.hi};
        return type;
    case TERM_OP_BOR:
    case TERM_OP_BXOR:
        if (a.lo >= 0 && b.lo >= 0)
            return (struct term_range){0, mask_above(greatest(a.hi, b.hi))};
        return type;
    case TERM_OP_SHR:
        return (struct term_range){least(a.lo, 0), greatest(a.hi, 0)};
    default:
        return type;
    }
}

static struct term_range range_fit(const struct term *t, struct term_range a)
{
    struct term_range r = {greatest(a.lo, term_type_min(t->bits, t->is_signed)),
                           least(a.hi, term_type_max(t->bits, t->is_signed))};
    if (r.lo < r.hi)
        return r;
    /* Nothing (or one value) of the type is possible: the value never matters.  Any range does,
     * but not a single value, which would be folded into a constant. */
    return (struct term_range){term_type_min(t->bits, t->is_signed),
                               term_type_max(t->bits, t->is_signed)};
}

static struct term_range arg_range(const struct term_store *s, term_id t)
{
    return (struct term_range){s->terms.data[t].lo, s->terms.data[t].hi};
}

struct term_range term_range_of(const struct term_store *s, const struct term *t)
{
    struct term_range a = arg_range(s, t->arg[0]), b = arg_range(s, t->arg[1]);
    struct term_range c = arg_range(s, t->arg[2]);
    switch ((enum term_op)t->op) {
    case TERM_OP_ITE:
        return (struct term_range){least(b.lo, c.lo), greatest(b.hi, c.hi)};
    case TERM_OP_ADD:
        return unstick((struct term_range){saturating_sum(a.lo, b.lo), saturating_sum(a.hi, b.hi)});
    case TERM_OP_MUL:
        return range_mul(a, b);
    case TERM_OP_TDIV:
        return range_tdiv(a, b);
    case TERM_OP_TREM:
        return range_trem(a, b);
    case TERM_OP_FDIV:
        return (struct term_range){term_floor_div(a.lo, b.lo), term_floor_div(a.hi, b.lo)};
    case TERM_OP_FMOD:
        return range_fmod(a, b.lo);
    case TERM_OP_FIT:
        return range_fit(t, a);
    case TERM_OP_BAND:
    case TERM_OP_BOR:
    case TERM_OP_BXOR:
    case TERM_OP_SHL:
    case TERM_OP_SHR:
        return range_bits(t, a, b);
    case TERM_OP_WRAP:
        return (struct term_range){term_type_min(t->bits, t->is_signed),
                                   term_type_max(t->bits, t->is_signed)};
    default:
        return (struct term_range){TERM_MIN, TERM_MAX};
    }
}
