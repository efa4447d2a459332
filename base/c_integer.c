#include "base/c_integer.h"

#include <assert.h>

__extension__ typedef unsigned __int128 c_uint;

/* ---- types ----------------------------------------------------------------------------------- */

c_int c_min(struct c_type t)
{
    return t.is_signed ? -((c_int)1 << (t.width - 1)) : 0;
}

c_int c_max(struct c_type t)
{
    return ((c_int)1 << (t.is_signed ? t.width - 1 : t.width)) - 1;
}

bool c_fits(struct c_type t, c_int v)
{
    return v >= c_min(t) && v <= c_max(t);
}

c_int c_wrap(struct c_type t, c_int v)
{
    c_uint modulus = (c_uint)1 << t.width;
    c_int low = (c_int)((c_uint)v & (modulus - 1));
    return low > c_max(t) ? low - (c_int)modulus : low;
}

c_int c_convert(struct c_type t, c_int v)
{
    return t.width == 1 ? v != 0 : c_wrap(t, v);
}

/* ---- exact results --------------------------------------------------------------------------- */

c_int c_sum(c_int a, c_int b)
{
    return (c_int)((c_uint)a + (c_uint)b);
}

c_int c_product(c_int a, c_int b)
{
    return (c_int)((c_uint)a * (c_uint)b);
}

/* The least value of 128 bits, divided by -1, would overflow. */
c_int c_quotient(c_int a, c_int b)
{
    return b == -1 ? (c_int) - (c_uint)a : a / b;
}

c_int c_remainder(c_int a, c_int b)
{
    return b == -1 ? 0 : a % b;
}

/* ---- operators ------------------------------------------------------------------------------- */

/* A sum, difference, product or negation: `v` is exact unless `beyond` 128 bits, and modulo 2^128
 * then. */
static enum c_fault arithmetic(struct c_type t, bool beyond, c_int v, c_int *out)
{
    *out = t.is_signed ? v : c_wrap(t, v);
    return t.is_signed && (beyond || !c_fits(t, v)) ? C_OVERFLOW : C_DEFINED;
}

/* The remainder of the least value by -1 would be 0, but C does not define it, since the quotient
 * overflows. */
static enum c_fault divide(enum c_operator op, struct c_type t, c_int a, c_int b, c_int *out)
{
    if (b == 0) {
        *out = 0;
        return C_DIVISION;
    }
    *out = op == C_DIV ? c_quotient(a, b) : c_remainder(a, b);
    return t.is_signed && b == -1 && a == c_min(t) ? C_OVERFLOW : C_DEFINED;
}

static enum c_fault shift(enum c_operator op, struct c_type t, c_int a, c_int b, c_int *out)
{
    if (b < 0 || b >= t.width) {
        *out = 0;
        return C_SHIFT;
    }
    if (op == C_SHR) {
        *out = a >> (int)b;
        return C_DEFINED;
    }
    *out = c_wrap(t, (c_int)((c_uint)a << (int)b));
    return t.is_signed && (a < 0 || a > c_max(t) >> (int)b) ? C_OVERFLOW : C_DEFINED;
}

static c_int compare(enum c_operator op, c_int a, c_int b)
{
    switch (op) {
    case C_LT:
        return a < b;
    case C_LE:
        return a <= b;
    case C_GT:
        return a > b;
    case C_GE:
        return a >= b;
    case C_EQ:
        return a == b;
    default:
        assert(op == C_NE);
        return a != b;
    }
}

enum c_fault c_binary(enum c_operator op, struct c_type t, c_int a, c_int b, c_int *out)
{
    c_int v;
    bool beyond;
    switch (op) {
    case C_ADD:
        beyond = __builtin_add_overflow(a, b, &v);
        return arithmetic(t, beyond, v, out);
    case C_SUB:
        beyond = __builtin_sub_overflow(a, b, &v);
        return arithmetic(t, beyond, v, out);
    case C_MUL:
        beyond = __builtin_mul_overflow(a, b, &v);
        return arithmetic(t, beyond, v, out);
    case C_DIV:
    case C_REM:
        return divide(op, t, a, b, out);
    case C_SHL:
    case C_SHR:
        return shift(op, t, a, b, out);
    case C_BITAND:
        *out = c_wrap(t, a & b);
        return C_DEFINED;
    case C_BITOR:
        *out = c_wrap(t, a | b);
        return C_DEFINED;
    case C_BITXOR:
        *out = c_wrap(t, a ^ b);
        return C_DEFINED;
    default:
        *out = compare(op, a, b);
        return C_DEFINED;
    }
}

enum c_fault c_unary(enum c_operator op, struct c_type t, c_int a, c_int *out)
{
    switch (op) {
    case C_NEG:
        return c_binary(C_SUB, t, 0, a, out);
    case C_BITNOT:
        *out = c_wrap(t, ~a);
        return C_DEFINED;
    default:
        assert(op == C_LOGNOT);
        *out = !a;
        return C_DEFINED;
    }
}
