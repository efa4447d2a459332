/* C's operators on concrete values, and what the interpreter does where C defines no result. */
#include "symexec/interp_internal.h"

/* A signed result outside its type: exact values (options.ideal) may be such. */
static void overflow(struct interp *in, struct src_loc loc)
{
    if (in->options->ideal) {
        in->run->ideal_overflow = true;
        return;
    }
    in_stop(in, in->options->check_overflow ? INTERP_CHECK_FAILED : INTERP_ROLLED_BACK,
            INTERP_OVERFLOW, loc);
}

static void handle(struct interp *in, enum c_fault fault, struct src_loc loc)
{
    switch (fault) {
    case C_DEFINED:
        return;
    case C_OVERFLOW:
        overflow(in, loc);
        return;
    case C_DIVISION:
        in_stop(in, INTERP_CHECK_FAILED, INTERP_DIVISION, loc);
    case C_SHIFT:
        in_stop(in, INTERP_CHECK_FAILED, INTERP_SHIFT, loc);
    }
}

/* A value is not changed by its own type, not even an exact one outside it (options.ideal). */
ast_int in_cast(const struct ast_type *to, const struct ast_type *from, ast_int v)
{
    if (to->width == from->width && to->is_signed == from->is_signed)
        return v;
    return ast_int_cast(to, v);
}

ast_int in_binary(struct interp *in, enum c_operator op, const struct ast_type *t, ast_int a,
                  ast_int b, struct src_loc loc)
{
    ast_int v;
    enum c_fault fault = c_binary(op, ast_int_type(t), a, b, &v);
    if (op == C_DIV || op == C_REM || op == C_SHL || op == C_SHR) {
        in->run->operand[0] = a;
        in->run->operand[1] = b;
    }
    if (op == C_SHL && fault == C_OVERFLOW && in->options->ideal)
        fault = C_SHIFT; /* no exact value, and nothing to roll back: a failed check */
    handle(in, fault, loc);
    return v;
}

ast_int in_sum(struct interp *in, const struct ast_type *t, ast_int v, struct src_loc loc)
{
    if (t->width < 32 || !t->is_signed)
        return ast_int_cast(t, v);
    if (v < ast_int_min(t) || v > ast_int_max(t))
        overflow(in, loc);
    return v;
}

ast_int in_unary(struct interp *in, enum c_operator op, const struct ast_type *t, ast_int a,
                 struct src_loc loc)
{
    ast_int v;
    handle(in, c_unary(op, ast_int_type(t), a, &v), loc);
    return v;
}
