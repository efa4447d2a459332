/* C's integer operators on terms: exact results, and the conditions under which C defines them. */
#include <assert.h>

#include "symexec/exec.h"

static bool in_type(const struct ast_type *t, const struct term *v)
{
    return c_fits(ast_int_type(t), v->lo) && c_fits(ast_int_type(t), v->hi);
}

/* The value of the type congruent to a: itself, if that is what the path says. */
static term_id convert(struct sx_exec *x, const struct ast_type *t, term_id a)
{
    struct fact_range r = facts_range(&x->facts, a);
    if (c_fits(ast_int_type(t), r.lo) && c_fits(ast_int_type(t), r.hi))
        return term_fit(x->store, t->width, t->is_signed, a);
    return term_wrap(x->store, t->width, t->is_signed, a);
}

static bool is_huge(const struct term *v)
{
    term_int big = (term_int)1 << 100;
    return v->lo < -big || v->hi > big;
}

/* The result of a signed operation: must be in range. */
static term_id signed_result(struct sx_exec *x, const struct ast_expr *e, const struct ast_type *t,
                             term_id raw)
{
    if (in_type(t, term_get(x->store, raw)))
        return raw;
    term_id inside = term_in_range(x->store, raw, ast_int_min(t), ast_int_max(t));
    sx_require(x, SX_OVERFLOW, inside, e->loc, sx_text(x, e));
    /* A predicate's values are exact; where 128 bits may not hold them, nothing can be said. */
    if (x->ideal && !is_huge(term_get(x->store, raw)))
        return raw;
    if (x->ideal && !sx_stopped(x)) {
        diag_add(x->diags, DIAG_ERROR, e->loc,
                 "this value of a predicate may be too large to be computed exactly");
        diag_hint(x->diags, "use int instead of long in the product, or bound its factors first");
        x->failed = true;
    }
    return term_fit(x->store, t->width, t->is_signed, raw);
}

static term_id arithmetic_result(struct sx_exec *x, const struct ast_expr *e,
                                 const struct ast_type *t, term_id raw)
{
    if (t->is_signed)
        return signed_result(x, e, t, raw);
    return convert(x, t, raw);
}

term_id sx_sum(struct sx_exec *x, const struct ast_expr *e, const struct ast_type *type,
               term_id raw)
{
    return type->width < 32 ? term_wrap(x->store, type->width, type->is_signed, raw)
                            : arithmetic_result(x, e, type, raw);
}

static term_id divide(struct sx_exec *x, const struct ast_expr *e, enum c_operator op,
                      const struct ast_type *t, term_id a, term_id b)
{
    struct term_store *s = x->store;
    sx_require(x, SX_DIVISION, term_truth(s, b), e->loc, sx_text(x, e));
    if (sx_stopped(x))
        return term_const(s, 0);
    if (t->is_signed) { /* the least value by -1, remainder too */
        term_id least = term_eq(s, a, term_const(s, ast_int_min(t)));
        term_id minus = term_eq(s, b, term_const(s, -1));
        sx_require(x, SX_OVERFLOW, term_not(s, term_and(s, least, minus)), e->loc, sx_text(x, e));
    }
    if (op == C_REM)
        return term_trem(s, a, b);
    return x->ideal ? term_tdiv(s, a, b) : term_fit(s, t->width, t->is_signed, term_tdiv(s, a, b));
}

/* Operations on bits need values of the type; only a predicate's exact values may be others. */
static term_id as_bits(struct sx_exec *x, const struct ast_type *t, term_id a)
{
    return x->ideal ? term_wrap(x->store, t->width, t->is_signed, a) : a;
}

static term_id shift_left(struct sx_exec *x, const struct ast_expr *e, const struct ast_type *t,
                          term_id a, term_id b)
{
    struct term_store *s = x->store;
    if (!t->is_signed)
        return term_shl(s, t->width, false, a, b);
    /* Signed: defined if a is not negative and a * 2^b is a value of the type. */
    term_id most = term_shr(s, t->width, true, term_const(s, ast_int_max(t)), b);
    term_id fits = term_and(s, term_le(s, term_const(s, 0), a), term_le(s, a, most));
    /* In a predicate there is no rollback: a shift that loses bits is a failed check. */
    sx_require(x, x->ideal ? SX_SHIFT : SX_OVERFLOW, fits, e->loc, sx_text(x, e));
    a = as_bits(x, t, a); /* itself, where it fits */
    if (!term_is_const(s, b) || sx_stopped(x))
        return term_shl(s, t->width, true, a, b);
    term_id factor = term_const(s, (term_int)1 << (int)term_get(s, b)->lo);
    return term_fit(s, t->width, true, term_mul(s, a, factor));
}

/* A predicate's exact value, perhaps outside its type, shifted right: divided by 2^b, exactly. */
static term_id exact_shift_right(struct sx_exec *x, const struct ast_type *t, term_id a, term_id b)
{
    struct term_store *s = x->store;
    struct fact_range r = facts_range(&x->facts, b);
    int lo = r.lo > 0 ? (int)r.lo : 0, hi = r.hi < t->width ? (int)r.hi : t->width - 1;
    term_id v = term_fdiv(s, a, (term_int)1 << lo);
    for (int k = lo + 1; k <= hi; k++)
        v = term_ite(s, term_eq(s, b, term_const(s, k)), term_fdiv(s, a, (term_int)1 << k), v);
    return v;
}

static term_id shift(struct sx_exec *x, const struct ast_expr *e, enum c_operator op,
                     const struct ast_type *t, term_id a, term_id b)
{
    sx_require(x, SX_SHIFT, term_in_range(x->store, b, 0, t->width - 1), e->loc, sx_text(x, e));
    if (sx_stopped(x))
        return term_const(x->store, 0);
    struct fact_range r = facts_range(&x->facts, b);
    if (r.lo == r.hi)
        b = term_const(x->store, r.lo);
    if (op == C_SHL)
        return shift_left(x, e, t, a, b);
    if (x->ideal && !in_type(t, term_get(x->store, a)))
        return exact_shift_right(x, t, a, b);
    return term_shr(x->store, t->width, t->is_signed, a, b);
}

static term_id compare(struct sx_exec *x, enum c_operator op, term_id a, term_id b)
{
    struct term_store *s = x->store;
    switch (op) {
    case C_LT:
        return term_lt(s, a, b);
    case C_LE:
        return term_le(s, a, b);
    case C_GT:
        return term_lt(s, b, a);
    case C_GE:
        return term_le(s, b, a);
    case C_EQ:
        return term_eq(s, a, b);
    default:
        assert(op == C_NE);
        return term_not(s, term_eq(s, a, b));
    }
}

static bool is_bitwise(enum c_operator op)
{
    return op == C_BITAND || op == C_BITOR || op == C_BITXOR;
}

term_id sx_binary(struct sx_exec *x, const struct ast_expr *e, enum c_operator op,
                  const struct ast_type *t, term_id a, term_id b)
{
    struct term_store *s = x->store;
    if (sx_stopped(x))
        return term_const(s, 0);
    if (is_bitwise(op)) {
        a = as_bits(x, t, a);
        b = as_bits(x, t, b);
    }
    switch (op) {
    case C_ADD:
        return arithmetic_result(x, e, t, term_add(s, a, b));
    case C_SUB:
        return arithmetic_result(x, e, t, term_sub(s, a, b));
    case C_MUL:
        return arithmetic_result(x, e, t, term_mul(s, a, b));
    case C_DIV:
    case C_REM:
        return divide(x, e, op, t, a, b);
    case C_SHL:
    case C_SHR:
        return shift(x, e, op, t, a, b);
    case C_BITAND:
        return term_band(s, t->width, t->is_signed, a, b);
    case C_BITOR:
        return term_bor(s, t->width, t->is_signed, a, b);
    case C_BITXOR:
        return term_bxor(s, t->width, t->is_signed, a, b);
    default:
        return term_from_bool(s, facts_fold(&x->facts, compare(x, op, a, b)));
    }
}

term_id sx_unary(struct sx_exec *x, const struct ast_expr *e, term_id a)
{
    struct term_store *s = x->store;
    if (sx_stopped(x))
        return term_const(s, 0);
    switch (e->op) {
    case C_NEG:
        return arithmetic_result(x, e, e->type, term_neg(s, a));
    case C_BITNOT:
        return term_bnot(s, e->type->width, e->type->is_signed, as_bits(x, e->type, a));
    default:
        assert(e->op == C_LOGNOT);
        return term_from_bool(s, term_eq(s, a, term_const(s, 0)));
    }
}

term_id sx_cast(struct sx_exec *x, const struct ast_type *to, const struct ast_type *from,
                term_id a)
{
    /* Not even an exact value outside the type (predicates) is changed by its own type. */
    if (to->width == from->width && to->is_signed == from->is_signed)
        return a;
    if (to->is_bool)
        return term_from_bool(x->store, facts_fold(&x->facts, term_truth(x->store, a)));
    return convert(x, to, a);
}
