/* Conditions: NOT, AND, ITE, EQ, LE, and everything expressed by them.
 *
 * There is no OR: `a || b` is NOT(AND(NOT a, NOT b)).  With one connective, complements meet (after
 * `if (c) return;` and its join the guard c ∨ ¬c folds to true) and there is one place for the
 * rules.  The rules look only a few nodes deep: guards grow by one conjunct at a time, so what
 * cancels is near the top. */
#include <assert.h>

#include "symexec/term_internal.h"

static enum term_op op_of(const struct term_store *s, term_id t)
{
    return (enum term_op)s->terms.data[t].op;
}

static term_id arg(const struct term_store *s, term_id t, int i)
{
    return s->terms.data[t].arg[i];
}

term_id term_not(struct term_store *s, term_id a)
{
    assert(term_is_bool(s, a) && a != TERM_NONE);
    if (a == TERM_TRUE)
        return TERM_FALSE;
    if (a == TERM_FALSE)
        return TERM_TRUE;
    if (op_of(s, a) == TERM_OP_NOT)
        return arg(s, a, 0);
    return term_make(s, TERM_OP_NOT, 0, false, a, TERM_NONE, TERM_NONE);
}

static bool is_not_of(const struct term_store *s, term_id a, term_id b)
{
    return (op_of(s, a) == TERM_OP_NOT && arg(s, a, 0) == b) ||
           (op_of(s, b) == TERM_OP_NOT && arg(s, b, 0) == a);
}

/* ---- conjunction --------------------------------------------------------------------------- */

#define CONJUNCT_DEPTH 12

/* Is x (1) or its negation (-1) a conjunct of t, as far as one looks? */
static int find_conjunct(const struct term_store *s, term_id t, term_id x, int depth)
{
    term_id oldest = op_of(s, x) == TERM_OP_NOT ? arg(s, x, 0) : x;
    for (; depth > 0; depth--) {
        if (t == x)
            return 1;
        if (is_not_of(s, t, x))
            return -1;
        if (op_of(s, t) != TERM_OP_AND || t < oldest)
            return 0; /* arguments are older than the term: x cannot be below */
        int found = find_conjunct(s, arg(s, t, 1), x, depth > 3 ? 3 : depth - 1);
        if (found)
            return found;
        t = arg(s, t, 0);
    }
    return 0;
}

struct literal {
    bool negated;
    enum term_op op; /* LE or EQ against a constant, else NONE */
    term_id x;
    term_int k;
};

static struct literal literal_of(const struct term_store *s, term_id t)
{
    struct literal l = {0};
    if (op_of(s, t) == TERM_OP_NOT) {
        l.negated = true;
        t = arg(s, t, 0);
    }
    if ((op_of(s, t) == TERM_OP_LE || op_of(s, t) == TERM_OP_EQ) &&
        term_is_const(s, arg(s, t, 1))) {
        l.op = op_of(s, t);
        l.x = arg(s, t, 0);
        l.k = term_get(s, arg(s, t, 1))->lo;
    }
    return l;
}

/* Does x == k decide literal l (about the same x)?  Then what is l? */
static bool literal_at(struct literal l, term_int k)
{
    bool holds = l.op == TERM_OP_EQ ? k == l.k : k <= l.k;
    return holds != l.negated;
}

/* Two comparisons of one term with constants: their conjunction if it is one of them or false. */
static term_id and_literals(const struct term_store *s, term_id a, term_id b)
{
    struct literal l = literal_of(s, a), m = literal_of(s, b);
    if (l.op == TERM_OP_NONE || m.op == TERM_OP_NONE || l.x != m.x)
        return TERM_NONE;
    if (l.op == TERM_OP_EQ && !l.negated)
        return literal_at(m, l.k) ? a : TERM_FALSE;
    if (m.op == TERM_OP_EQ && !m.negated)
        return literal_at(l, m.k) ? b : TERM_FALSE;
    if (l.op != TERM_OP_LE || m.op != TERM_OP_LE)
        return TERM_NONE;
    if (l.negated == m.negated) /* x <= 3 && x <= 5; x > 3 && x > 5 */
        return (l.k <= m.k) != l.negated ? a : b;
    term_int above = l.negated ? l.k : m.k, upto = l.negated ? m.k : l.k;
    return above >= upto ? TERM_FALSE : TERM_NONE;
}

/* a ∧ b where b = ¬(p ∧ q). */
static term_id and_not_and(struct term_store *s, term_id a, term_id b)
{
    term_id inner = arg(s, b, 0), p = arg(s, inner, 0), q = arg(s, inner, 1);
    int fp = find_conjunct(s, a, p, CONJUNCT_DEPTH), fq = find_conjunct(s, a, q, CONJUNCT_DEPTH);
    if (fp < 0 || fq < 0)
        return a;
    if (fp > 0)
        return term_and(s, a, term_not(s, q));
    if (fq > 0)
        return term_and(s, a, term_not(s, p));
    return TERM_NONE;
}

static bool is_not_and(const struct term_store *s, term_id t)
{
    return op_of(s, t) == TERM_OP_NOT && op_of(s, arg(s, t, 0)) == TERM_OP_AND;
}

/* ¬(g ∧ p) ∧ ¬(g ∧ q) = ¬(g ∧ (p ∨ q)): how the guards of two branches meet again. */
static term_id and_factor(struct term_store *s, term_id a, term_id b)
{
    term_id x = arg(s, a, 0), y = arg(s, b, 0);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            if (arg(s, x, i) == arg(s, y, j)) {
                term_id p = arg(s, x, 1 - i), q = arg(s, y, 1 - j);
                return term_not(s, term_and(s, arg(s, x, i), term_or(s, p, q)));
            }
        }
    }
    return TERM_NONE;
}

static term_id and_rules(struct term_store *s, term_id a, term_id b)
{
    int f = find_conjunct(s, a, b, CONJUNCT_DEPTH);
    if (f)
        return f > 0 ? a : TERM_FALSE;
    f = find_conjunct(s, b, a, CONJUNCT_DEPTH);
    if (f)
        return f > 0 ? b : TERM_FALSE;
    term_id r = and_literals(s, a, b);
    if (!r && is_not_and(s, b))
        r = and_not_and(s, a, b);
    if (!r && is_not_and(s, a))
        r = and_not_and(s, b, a);
    if (!r && is_not_and(s, a) && is_not_and(s, b))
        r = and_factor(s, a, b);
    return r;
}

term_id term_and(struct term_store *s, term_id a, term_id b)
{
    assert(term_is_bool(s, a) && term_is_bool(s, b) && a != TERM_NONE && b != TERM_NONE);
    if (a == TERM_FALSE || b == TERM_FALSE)
        return TERM_FALSE;
    if (a == TERM_TRUE || a == b)
        return b;
    if (b == TERM_TRUE)
        return a;
    if (is_not_of(s, a, b))
        return TERM_FALSE;
    term_id r = and_rules(s, a, b);
    if (r)
        return r;
    return a < b ? term_make(s, TERM_OP_AND, 0, false, a, b, TERM_NONE)
                 : term_make(s, TERM_OP_AND, 0, false, b, a, TERM_NONE);
}

term_id term_or(struct term_store *s, term_id a, term_id b)
{
    return term_not(s, term_and(s, term_not(s, a), term_not(s, b)));
}

term_id term_implies(struct term_store *s, term_id a, term_id b)
{
    return term_not(s, term_and(s, a, term_not(s, b)));
}

/* ---- choice -------------------------------------------------------------------------------- */

static term_id ite_bool(struct term_store *s, term_id c, term_id a, term_id b)
{
    if (a == TERM_TRUE || a == c)
        return term_or(s, c, b);
    if (a == TERM_FALSE || is_not_of(s, a, c))
        return term_and(s, term_not(s, c), b);
    if (b == TERM_TRUE || is_not_of(s, b, c))
        return term_or(s, term_not(s, c), a);
    if (b == TERM_FALSE || b == c)
        return term_and(s, c, a);
    return TERM_NONE;
}

/* A branch that is itself a choice between the other branch and something. */
static term_id ite_nested(struct term_store *s, term_id c, term_id a, term_id b)
{
    if (op_of(s, a) == TERM_OP_ITE) {
        term_id d = arg(s, a, 0), x = arg(s, a, 1), y = arg(s, a, 2);
        if (y == b)
            return term_ite(s, term_and(s, c, d), x, b);
        if (x == b)
            return term_ite(s, term_and(s, c, term_not(s, d)), y, b);
    }
    if (op_of(s, b) == TERM_OP_ITE) {
        term_id d = arg(s, b, 0), x = arg(s, b, 1), y = arg(s, b, 2);
        if (x == a)
            return term_ite(s, term_or(s, c, d), a, y);
        if (y == a)
            return term_ite(s, term_or(s, c, term_not(s, d)), a, x);
    }
    return TERM_NONE;
}

/* The branch of t that is taken where c has the given value, as far as its conditions say so. */
static term_id under(const struct term_store *s, term_id t, term_id c, bool value)
{
    while (op_of(s, t) == TERM_OP_ITE) {
        term_id d = arg(s, t, 0);
        int f = d == c ? 1 : is_not_of(s, d, c) ? -1 : 0;
        if (!f && value)
            f = find_conjunct(s, c, d, 4);
        else if (!f) /* ¬c holds: c is a conjunct of d, then d is false */
            f = -(find_conjunct(s, d, c, 4) > 0);
        else if (!value)
            f = -f;
        if (!f)
            break;
        t = arg(s, t, f > 0 ? 1 : 2);
    }
    return t;
}

term_id term_ite(struct term_store *s, term_id c, term_id a, term_id b)
{
    assert(term_get(s, a)->sort == term_get(s, b)->sort);
    if (c == TERM_TRUE)
        return a;
    if (c == TERM_FALSE)
        return b;
    if (op_of(s, c) == TERM_OP_NOT)
        return term_ite(s, arg(s, c, 0), b, a);
    a = under(s, a, c, true);
    b = under(s, b, c, false);
    if (a == b)
        return a;
    term_id r = term_is_bool(s, a) ? ite_bool(s, c, a, b) : TERM_NONE;
    if (!r && op_of(s, c) == TERM_OP_EQ && arg(s, c, 1) == a && arg(s, c, 0) == b)
        r = b; /* x == k ? k : x */
    if (!r)
        r = ite_nested(s, c, a, b);
    return r ? r : term_make(s, TERM_OP_ITE, 0, false, c, a, b);
}

/* ---- comparison ---------------------------------------------------------------------------- */

static bool const_choice(const struct term_store *s, term_id t, int depth)
{
    if (op_of(s, t) == TERM_OP_CONST)
        return true;
    return depth > 0 && op_of(s, t) == TERM_OP_ITE && const_choice(s, arg(s, t, 1), depth - 1) &&
           const_choice(s, arg(s, t, 2), depth - 1);
}

typedef term_id (*compare_fn)(struct term_store *, term_id, term_id);

/* Does the interval of x decide how it compares with the constant? */
static bool is_decided(const struct term_store *s, term_id x, term_id constant, bool x_first,
                       compare_fn compare)
{
    const struct term *a = term_get(s, x), *k = term_get(s, constant);
    if (a->op == TERM_OP_CONST || a->hi < k->lo || a->lo > k->lo)
        return true;
    if (compare == term_eq)
        return false;
    return x_first ? a->hi <= k->lo : a->lo >= k->lo;
}

/* Compare a choice between constants, or between terms whose intervals decide, with a constant:
 * compare each. */
static term_id compare_choice(struct term_store *s, term_id a, term_id b, compare_fn compare)
{
    term_id t = op_of(s, a) == TERM_OP_ITE ? a : b;
    term_id other = t == a ? b : a;
    if (op_of(s, t) != TERM_OP_ITE || !term_is_const(s, other))
        return TERM_NONE;
    if (!const_choice(s, t, 4) && (!is_decided(s, arg(s, t, 1), other, t == a, compare) ||
                                   !is_decided(s, arg(s, t, 2), other, t == a, compare)))
        return TERM_NONE;
    term_id c = arg(s, t, 0), x = arg(s, t, 1), y = arg(s, t, 2);
    term_id rx = t == a ? compare(s, x, b) : compare(s, a, x);
    term_id ry = t == a ? compare(s, y, b) : compare(s, a, y);
    return term_ite(s, c, rx, ry);
}

static term_id make_le_const(struct term_store *s, term_id x, term_int k)
{
    const struct term *t = term_get(s, x);
    if (t->hi <= k)
        return TERM_TRUE;
    if (t->lo > k)
        return TERM_FALSE;
    if (t->lo == k)
        return term_make(s, TERM_OP_EQ, 0, false, x, term_const(s, k), TERM_NONE);
    if (t->hi - 1 == k)
        return term_not(s, term_make(s, TERM_OP_EQ, 0, false, x, term_const(s, t->hi), TERM_NONE));
    return term_make(s, TERM_OP_LE, 0, false, x, term_const(s, k), TERM_NONE);
}

static term_id make_eq_const(struct term_store *s, term_id x, term_int k)
{
    const struct term *t = term_get(s, x);
    if (k < t->lo || k > t->hi)
        return TERM_FALSE;
    if (t->hi == k && t->hi - 1 == t->lo)
        return term_not(s, term_make(s, TERM_OP_EQ, 0, false, x, term_const(s, t->lo), TERM_NONE));
    return term_make(s, TERM_OP_EQ, 0, false, x, term_const(s, k), TERM_NONE);
}

/* c * x + k <= 0 */
static term_id le_single(struct term_store *s, term_id x, term_int c, term_int k)
{
    if (c > 0)
        return make_le_const(s, x, term_floor_div(-k, c));
    /* -c x >= k, x >= ceil(k / -c), not x <= ceil(k / -c) - 1 = floor((k - 1) / -c) */
    return term_not(s, make_le_const(s, x, term_floor_div(k - 1, -c)));
}

static term_id le_linear(struct term_store *s, const struct term_linear *f)
{
    size_t positive = 0;
    if (f->n == 0)
        return term_bool(f->k <= 0);
    if (f->n == 1)
        return le_single(s, f->atom[0], f->coef[0], f->k);
    for (size_t i = 0; i < f->n; i++)
        positive += f->coef[i] > 0;
    term_int k = f->k;
    if (positive == f->n)
        return make_le_const(s, term_linear_build(s, f, 1, 0), -k);
    if (positive == 0)
        return term_not(s, make_le_const(s, term_linear_build(s, f, -1, 0), k - 1));
    term_id l = term_linear_build(s, f, 1, k > 0 ? k : 0);
    term_id r = term_linear_build(s, f, -1, k < 0 ? -k : 0);
    if (term_get(s, l)->hi <= term_get(s, r)->lo)
        return TERM_TRUE;
    if (term_get(s, l)->lo > term_get(s, r)->hi)
        return TERM_FALSE;
    return term_make(s, TERM_OP_LE, 0, false, l, r, TERM_NONE);
}

static term_id eq_linear(struct term_store *s, struct term_linear *f)
{
    if (f->n == 0)
        return term_bool(f->k == 0);
    if (f->n == 1)
        return f->k % f->coef[0] ? TERM_FALSE : make_eq_const(s, f->atom[0], -f->k / f->coef[0]);
    bool flip = f->coef[0] < 0, mixed = false;
    for (size_t i = 0; i < f->n; i++) {
        if (flip)
            f->coef[i] = -f->coef[i];
        mixed |= f->coef[i] < 0;
    }
    term_int k = flip ? -f->k : f->k;
    if (!mixed)
        return make_eq_const(s, term_linear_build(s, f, 1, 0), -k);
    term_id l = term_linear_build(s, f, 1, k > 0 ? k : 0);
    term_id r = term_linear_build(s, f, -1, k < 0 ? -k : 0);
    if (term_get(s, l)->hi < term_get(s, r)->lo || term_get(s, l)->lo > term_get(s, r)->hi)
        return TERM_FALSE;
    return term_make(s, TERM_OP_EQ, 0, false, l, r, TERM_NONE);
}

/* The difference a - b as a linear form. */
static bool difference(const struct term_store *s, struct term_linear *f, term_id a, term_id b)
{
    *f = (struct term_linear){0};
    if (!term_linear_add(s, f, a, 1) || !term_linear_add(s, f, b, -1))
        return false;
    term_linear_sort(f);
    return true;
}

term_id term_le(struct term_store *s, term_id a, term_id b)
{
    const struct term *x = term_get(s, a), *y = term_get(s, b);
    assert(x->sort == TERM_INT && y->sort == TERM_INT);
    if (a == b || x->hi <= y->lo)
        return TERM_TRUE;
    if (x->lo > y->hi)
        return TERM_FALSE;
    term_id r = compare_choice(s, a, b, term_le);
    if (r)
        return r;
    struct term_linear f;
    if (difference(s, &f, a, b))
        return le_linear(s, &f);
    if (term_is_const(s, b))
        return make_le_const(s, a, y->lo);
    if (term_is_const(s, a))
        return term_not(s, make_le_const(s, b, x->lo - 1));
    return term_make(s, TERM_OP_LE, 0, false, a, b, TERM_NONE);
}

term_id term_lt(struct term_store *s, term_id a, term_id b)
{
    return term_not(s, term_le(s, b, a));
}

term_id term_eq(struct term_store *s, term_id a, term_id b)
{
    const struct term *x = term_get(s, a), *y = term_get(s, b);
    assert(x->sort == TERM_INT && y->sort == TERM_INT);
    if (a == b)
        return TERM_TRUE;
    if (x->hi < y->lo || x->lo > y->hi)
        return TERM_FALSE;
    term_id r = compare_choice(s, a, b, term_eq);
    if (r)
        return r;
    struct term_linear f;
    if (difference(s, &f, a, b))
        return eq_linear(s, &f);
    if (term_is_const(s, b))
        return make_eq_const(s, a, y->lo);
    if (term_is_const(s, a))
        return make_eq_const(s, b, x->lo);
    return a < b ? term_make(s, TERM_OP_EQ, 0, false, a, b, TERM_NONE)
                 : term_make(s, TERM_OP_EQ, 0, false, b, a, TERM_NONE);
}

term_id term_in_range(struct term_store *s, term_id a, term_int lo, term_int hi)
{
    return term_and(s, term_le(s, term_const(s, lo), a), term_le(s, a, term_const(s, hi)));
}

term_id term_truth(struct term_store *s, term_id a)
{
    if (op_of(s, a) == TERM_OP_BOR) { /* some bit of one or the other */
        term_id x = arg(s, a, 0), y = arg(s, a, 1);
        term_id left = term_truth(s, x);
        return term_or(s, left, term_truth(s, y));
    }
    return term_not(s, term_eq(s, a, term_const(s, 0)));
}

term_id term_from_bool(struct term_store *s, term_id c)
{
    return term_ite(s, c, term_const(s, 1), term_const(s, 0));
}
