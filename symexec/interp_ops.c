/* C's operators on concrete values. */
#include <assert.h>

#include "symexec/interp_private.h"

static bool in_range(const struct ast_type *t, ast_int v)
{
    return v >= ast_int_min(t) && v <= ast_int_max(t);
}

/* A signed result outside its type. */
static void overflow(struct interp *in, struct src_loc loc)
{
    if (in->options->ideal) {
        in->run->ideal_overflow = true;
        return;
    }
    in_stop(in, in->options->check_overflow ? INTERP_CHECK_FAILED : INTERP_ROLLED_BACK,
            INTERP_OVERFLOW, loc);
}

static ast_int result(struct interp *in, const struct ast_type *t, ast_int v, struct src_loc loc)
{
    if (in_range(t, v))
        return v;
    if (!t->is_signed)
        return ast_int_cast(t, v);
    overflow(in, loc);
    return v;
}

static ast_int multiply(struct interp *in, const struct ast_type *t, ast_int a, ast_int b,
                        struct src_loc loc)
{
    ast_int v;
    if (!__builtin_mul_overflow(a, b, &v))
        return result(in, t, v, loc);
    if (!t->is_signed) /* modulo 2^128 first, then modulo 2^64 */
        return ast_int_cast(t, (ast_int)((unsigned __int128)a * (unsigned __int128)b));
    overflow(in, loc);
    return v;
}

static ast_int divide(struct interp *in, enum ast_op op, const struct ast_type *t, ast_int a,
                      ast_int b, struct src_loc loc)
{
    in->run->operand[0] = a;
    in->run->operand[1] = b;
    if (b == 0)
        in_stop(in, INTERP_CHECK_FAILED, INTERP_DIVISION, loc);
    if (t->is_signed && b == -1 && a == ast_int_min(t))
        overflow(in, loc);
    return op == AST_DIV ? a / b : a % b;
}

static ast_int shift(struct interp *in, enum ast_op op, const struct ast_type *t, ast_int a,
                     ast_int b, struct src_loc loc)
{
    in->run->operand[0] = a;
    in->run->operand[1] = b;
    if (b < 0 || b >= t->width)
        in_stop(in, INTERP_CHECK_FAILED, INTERP_SHIFT, loc);
    if (op == AST_SHR)
        return a >> (int)b; /* arithmetic, as gcc and clang define it */
    if (!t->is_signed)
        return ast_int_cast(t, (ast_int)((unsigned __int128)a << (int)b));
    if (a < 0 || a > ast_int_max(t) >> (int)b) {
        if (in->options->ideal) /* no exact value, and nothing to roll back: a failed check */
            in_stop(in, INTERP_CHECK_FAILED, INTERP_SHIFT, loc);
        overflow(in, loc);
    }
    return ast_int_cast(t, (ast_int)((unsigned __int128)a << (int)b));
}

/* A value is not changed by its own type, not even an exact one outside it (options.ideal). */
ast_int in_cast(const struct ast_type *to, const struct ast_type *from, ast_int v)
{
    if (to->width == from->width && to->is_signed == from->is_signed)
        return v;
    return ast_int_cast(to, v);
}

ast_int in_binary(struct interp *in, enum ast_op op, const struct ast_type *t, ast_int a, ast_int b,
                  struct src_loc loc)
{
    switch (op) {
    case AST_ADD:
        return result(in, t, a + b, loc);
    case AST_SUB:
        return result(in, t, a - b, loc);
    case AST_MUL:
        return multiply(in, t, a, b, loc);
    case AST_DIV:
    case AST_REM:
        return divide(in, op, t, a, b, loc);
    case AST_SHL:
    case AST_SHR:
        return shift(in, op, t, in->options->ideal ? a : ast_int_cast(t, a), b, loc);
    case AST_BITAND:
        return ast_int_cast(t, a & b); /* of exact values, too: modulo 2^width */
    case AST_BITOR:
        return ast_int_cast(t, a | b);
    case AST_BITXOR:
        return ast_int_cast(t, a ^ b);
    case AST_LT:
        return a < b;
    case AST_LE:
        return a <= b;
    case AST_GT:
        return a > b;
    case AST_GE:
        return a >= b;
    case AST_EQ:
        return a == b;
    case AST_NE:
        return a != b;
    default:
        assert(!"a binary operator");
        return 0;
    }
}

ast_int in_unary(struct interp *in, enum ast_op op, const struct ast_type *t, ast_int a,
                 struct src_loc loc)
{
    switch (op) {
    case AST_NEG:
        return result(in, t, -a, loc);
    case AST_BITNOT:
        return ast_int_cast(t, ~a);
    default:
        assert(op == AST_LOGNOT);
        return !a;
    }
}
