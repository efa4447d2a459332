/* Conditions of sums that are bounds of an index, see sum_bounds.h.
 *
 * A loop over the rows below a counter, "i < seq.next", is a sum with a bound that is a cell.  If a
 * transaction moves the counter by a constant, the sum after it and the sum before it differ by the
 * rows between the two bounds:
 *
 *     Σ with i < n + 2  =  Σ with i < n  +  what row n contributes  +  what row n + 1 contributes
 *
 * which is true of every n, also outside of the table, because a row contributes if the other
 * conditions and the range of i allow it. */
#include "encode/proof/sum_bounds.h"

#define ROWS_BETWEEN 8 /* between two bounds */

bool sum_linear(struct fm *fm, term_id t, term_id var, term_int *coefficient, term_id *rest)
{
    struct term_store *s = fm->store;
    const struct term x = *term_get(s, t);
    *coefficient = 0;
    *rest = t;
    if (!(fm_free_in(fm, t) & fm_var_bit(fm_var_number(fm, var))))
        return true;
    if (t == var) {
        *coefficient = 1;
        *rest = term_const(s, 0);
        return true;
    }
    if (x.op == TERM_OP_ADD) {
        term_int a, b;
        term_id r, q;
        if (!sum_linear(fm, x.arg[0], var, &a, &r) || !sum_linear(fm, x.arg[1], var, &b, &q))
            return false;
        *coefficient = a + b;
        *rest = term_add(s, r, q);
        return true;
    }
    if (x.op == TERM_OP_MUL && x.arg[0] == var && x.arg[1] == term_const(s, -1)) {
        *coefficient = -1;
        *rest = term_const(s, 0);
        return true;
    }
    return false;
}

bool sum_bound_of(struct fm *fm, term_id condition, term_id var, struct sum_bound *b)
{
    struct term_store *s = fm->store;
    struct term x = *term_get(s, condition);
    bool negated = x.op == TERM_OP_NOT;
    if (negated)
        x = *term_get(s, x.arg[0]);
    term_int c, d;
    term_id r, q;
    if (x.op != TERM_OP_LE || !sum_linear(fm, x.arg[0], var, &c, &r) ||
        !sum_linear(fm, x.arg[1], var, &d, &q) || (c - d != 1 && c - d != -1))
        return false;
    /* var + r <= q, or r <= var + q; or the opposite */
    term_id one = term_const(s, 1);
    bool left = c - d == 1;
    b->var = var;
    b->upper = left != negated;
    b->at = left ? term_sub(s, q, r) : term_sub(s, r, q);
    if (left)
        b->at = term_add(s, b->at, one);
    return true;
}

term_id sum_bound_condition(struct fm *fm, const struct sum_bound *b, term_id at)
{
    return b->upper ? term_lt(fm->store, b->var, at) : term_le(fm->store, at, b->var);
}

bool sum_bound_moves(struct fm *fm, const struct sum_bound *b)
{
    const struct term t = *term_get(fm->store, b->at);
    uint64_t is_free = fm_free_in(fm, b->at), params = 0;
    for (uint32_t i = 0; i < FM_PARAMS; i++)
        params |= fm_var_bit(FM_PARAM + i);
    if ((is_free & FM_VAR_BITS & ~params) || !(is_free & ~FM_VAR_BITS))
        return false;
    if (t.op == TERM_OP_ITE)
        return true;
    if (t.op != TERM_OP_ADD || !term_is_const(fm->store, t.arg[1]))
        return false;
    term_int by = term_get(fm->store, t.arg[1])->lo;
    return by >= -ROWS_BETWEEN && by <= ROWS_BETWEEN;
}
