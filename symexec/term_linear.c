/* Linear forms: sums with constant coefficients, collected so that like addends cancel.
 *
 * Collecting looks through ADD, MUL by a constant and FIT (which is the identity), and gives up
 * beyond TERM_LINEAR_MAX atoms: long sums stay as they were built, so that a loop adding up a
 * thousand rows costs a constant amount per addition. */
#include "symexec/term_internal.h"

/* Coefficients stay below this, so that products with 64-bit values keep well within 128 bits. */
#define COEF_MAX ((term_int)1 << 40)
#define CONST_MAX ((term_int)1 << 100)

static bool in_bounds(term_int v)
{
    return v > -COEF_MAX && v < COEF_MAX;
}

static bool add_atom(struct term_linear *f, term_id t, term_int coef)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->atom[i] == t) {
            f->coef[i] += coef;
            return in_bounds(f->coef[i]);
        }
    }
    if (f->n == TERM_LINEAR_MAX || !in_bounds(coef))
        return false;
    f->atom[f->n] = t;
    f->coef[f->n++] = coef;
    return true;
}

static bool add_constant(struct term_linear *f, term_int value, term_int coef)
{
    term_int product;
    if (__builtin_mul_overflow(value, coef, &product) ||
        __builtin_add_overflow(f->k, product, &f->k))
        return false;
    return f->k > -CONST_MAX && f->k < CONST_MAX;
}

bool term_linear_add(const struct term_store *s, struct term_linear *f, term_id t, term_int coef)
{
    for (;;) {
        const struct term *n = term_get(s, t);
        switch ((enum term_op)n->op) {
        case TERM_OP_CONST:
            return add_constant(f, n->lo, coef);
        case TERM_OP_FIT:
            t = n->arg[0];
            continue;
        case TERM_OP_ADD: /* the right side first: it is rarely a sum, so the recursion is shallow
                           */
            if (++f->depth > 2 * TERM_LINEAR_MAX || !term_linear_add(s, f, n->arg[1], coef))
                return false;
            t = n->arg[0];
            continue;
        case TERM_OP_MUL:
            if (!term_is_const(s, n->arg[1]))
                return add_atom(f, t, coef);
            term_int k = term_get(s, n->arg[1])->lo;
            if (!in_bounds(k) || __builtin_mul_overflow(coef, k, &coef) || !in_bounds(coef))
                return false;
            t = n->arg[0];
            continue;
        default:
            return add_atom(f, t, coef);
        }
    }
}

void term_linear_sort(struct term_linear *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->coef[i] == 0)
            continue;
        term_id t = f->atom[i];
        term_int c = f->coef[i];
        size_t j = n++;
        for (; j > 0 && f->atom[j - 1] > t; j--) {
            f->atom[j] = f->atom[j - 1];
            f->coef[j] = f->coef[j - 1];
        }
        f->atom[j] = t;
        f->coef[j] = c;
    }
    f->n = n;
}

static term_id scaled(struct term_store *s, term_id t, term_int coef)
{
    if (coef == 1)
        return t;
    return term_make(s, TERM_OP_MUL, 0, false, t, term_const(s, coef), TERM_NONE);
}

static term_id plus(struct term_store *s, term_id sum, term_id t)
{
    if (sum == TERM_NONE)
        return t;
    return term_make(s, TERM_OP_ADD, 0, false, sum, t, TERM_NONE);
}

term_id term_linear_build(struct term_store *s, const struct term_linear *f, int sign, term_int k)
{
    term_id sum = TERM_NONE;
    for (size_t i = 0; i < f->n; i++) {
        if (sign != 0 && (f->coef[i] > 0) != (sign > 0))
            continue;
        sum = plus(s, sum, scaled(s, f->atom[i], sign < 0 ? -f->coef[i] : f->coef[i]));
    }
    if (sum == TERM_NONE)
        return term_const(s, k);
    return k == 0 ? sum : plus(s, sum, term_const(s, k));
}
