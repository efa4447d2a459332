/* Sums: their normal form, and what a write does to them.
 *
 * The normal form makes equal sums equal terms, as far as cheap rules go.  All rules are exact:
 *   - a sum of sums is one sum over pairs of indices;
 *   - Σ (a + b) = Σ a + Σ b, Σ c·a = c·Σ a, Σ (if p then a else b) = Σ with p of a + Σ without p
 *     of b where one of them is a constant; a value that is 0 or 1 is a condition;
 *   - a condition without the sum's indices is taken out; so is a factor;
 *   - a condition "index = term" leaves one value of that index: the index goes;
 *   - an index that occurs nowhere is a factor: the number of its values;
 *   - a bound that is a cell and a constant is the cell alone, and the rows in between one by one
 *     (so that a bound that a write moves by a constant adds finitely many rows); a bound that is
 *     one of two, depending on something outside of the sum, is two sums.
 *
 * After a write.  Let S be a sum over the state s = b ⊕ w.  The contribution of a tuple of indices
 * differs between s and b only if the body reads, at that tuple, a row that w hits.  So
 *
 *     S(s) = S(b) + Σ over the tuples hit of (contribution in s − contribution in b)
 *
 * where "hit" is a condition like others: that the indices of a cell are those of the row written.
 * If it fixes all indices, what is left is a term without sums; if it fixes some, a sum over the
 * others; if none, as for a bulk write over all rows, a sum all the same, of the differences, which
 * is c times a count if the write adds c.  Nothing is approximated: a sum that is not written out
 * further is an unknown of its own.  Several writes are put on top one after the other, so that a
 * row that two of them write counts once. */
#include <assert.h>
#include <string.h>

#include "encode/proof/sum_bounds.h"

#define SUM_LIMIT ((term_int)1 << 120)
#define DEPTH_LIMIT 200
#define WORK_LIMIT 5000 /* sums that one sum is written out as */
#define SPLITS_MAX                                                                                 \
    16 /* of bounds, in one sum and the sums inside of it: each makes more of them                 \
        */

static term_id sum(struct fm *fm, const struct fm_fold *f, int depth);

static term_id zero(struct fm *fm)
{
    return term_const(fm->store, 0);
}

static uint64_t own_vars(const struct fm *fm, const struct fm_fold *f)
{
    uint64_t own = 0;
    for (uint32_t k = 0; k < f->n; k++)
        own |= fm_var_bit(fm_var_number(fm, f->var[k]));
    return own;
}

static term_id sum_of(struct fm *fm, const struct fm_fold *f, term_id cond, term_id value,
                      int depth)
{
    struct fm_fold g = *f;
    g.cond = cond;
    g.value = value;
    return sum(fm, &g, depth + 1);
}

/* ---- the value ----------------------------------------------------------------------------- */

static const struct fm_leaf *nested_sum(struct fm *fm, term_id value)
{
    const struct fm_leaf *l = fm_leaf_of(fm, value);
    return l && l->kind == FM_FOLD && l->fold.kind == SX_FOLD_SUM ? l : NULL;
}

/* The variables of the ranges. */
static uint64_t in_ranges(struct fm *fm, const struct fm_fold *f)
{
    uint64_t in = 0;
    for (uint32_t k = 0; k < f->n; k++)
        in |= fm_free_in(fm, f->lo[k]) | fm_free_in(fm, f->hi[k]);
    return in;
}

/* Can the two be one sum?  The inner one's variables must not mean anything outside of it. */
static bool flattens(struct fm *fm, const struct fm_fold *f, const struct fm_leaf *inner,
                     uint64_t own)
{
    uint64_t mine = own_vars(fm, &inner->fold);
    return f->n + inner->fold.n <= FM_SUM_INDICES && !(inner->binds & own) &&
           !((fm_free_in(fm, f->cond) | in_ranges(fm, f)) & mine);
}

/* One sum over the indices of both. */
static term_id flatten(struct fm *fm, const struct fm_fold *f, const struct fm_fold *inner,
                       int depth)
{
    struct fm_fold g = *f;
    for (uint32_t k = 0; k < inner->n; k++) {
        g.var[g.n] = inner->var[k];
        g.lo[g.n] = inner->lo[k];
        g.hi[g.n++] = inner->hi[k];
    }
    return sum_of(fm, &g, term_and(fm->store, f->cond, inner->cond), inner->value, depth);
}

static bool worth_splitting(struct fm *fm, term_id branch)
{
    return term_is_const(fm->store, branch) || nested_sum(fm, branch);
}

/* The sum in other words, because of its value; TERM_NONE: there is nothing to say. */
static term_id split_value(struct fm *fm, const struct fm_fold *f, uint64_t own, int depth)
{
    struct term_store *s = fm->store;
    const struct term v = *term_get(s, f->value);
    term_id one = term_const(s, 1);
    const struct fm_leaf *inner = nested_sum(fm, f->value);
    if (f->value == one)
        return TERM_NONE;
    if (!(fm_free_in(fm, f->value) & own)) /* constants, too */
        return term_mul(s, sum_of(fm, f, f->cond, one, depth), f->value);
    if (v.op == TERM_OP_ADD)
        return term_add(s, sum_of(fm, f, f->cond, v.arg[0], depth),
                        sum_of(fm, f, f->cond, v.arg[1], depth));
    for (int i = 0; i < 2 && v.op == TERM_OP_MUL; i++)
        if (!(fm_free_in(fm, v.arg[i]) & own))
            return term_mul(s, sum_of(fm, f, f->cond, v.arg[1 - i], depth), v.arg[i]);
    if (v.op == TERM_OP_ITE && (worth_splitting(fm, v.arg[1]) || worth_splitting(fm, v.arg[2])))
        return term_add(
            s, sum_of(fm, f, term_and(s, f->cond, v.arg[0]), v.arg[1], depth),
            sum_of(fm, f, term_and(s, f->cond, term_not(s, v.arg[0])), v.arg[2], depth));
    if (inner && flattens(fm, f, inner, own))
        return flatten(fm, f, &inner->fold, depth);
    if (v.lo >= 0 && v.hi <= 1)
        return sum_of(fm, f, term_and(s, f->cond, term_truth(s, f->value)), one, depth);
    return TERM_NONE;
}

/* ---- the condition ------------------------------------------------------------------------- */

struct conjuncts {
    VEC(term_id) list;
};

static void conjuncts_of(struct fm *fm, term_id t, struct conjuncts *c)
{
    const struct term x = *term_get(fm->store, t);
    if (x.op == TERM_OP_AND) {
        conjuncts_of(fm, x.arg[0], c);
        conjuncts_of(fm, x.arg[1], c);
    } else {
        vec_push(&c->list, t);
    }
}

/* The one value of the variable with which the condition can hold; TERM_NONE: it does not say. */
static term_id pinned(struct fm *fm, term_id condition, term_id var)
{
    const struct term x = *term_get(fm->store, condition);
    term_int a, b;
    term_id r, q;
    if (x.op != TERM_OP_EQ || !sum_linear(fm, x.arg[0], var, &a, &r) ||
        !sum_linear(fm, x.arg[1], var, &b, &q))
        return TERM_NONE;
    if (a - b == 1) /* var + r = q */
        return term_sub(fm->store, q, r);
    return a - b == -1 ? term_sub(fm->store, r, q) : TERM_NONE;
}

/* Index k has that value: one index less. */
static term_id drop_index(struct fm *fm, const struct fm_fold *f, uint32_t k, term_id value,
                          int depth)
{
    struct fm_fold g = {.kind = f->kind, .start = f->start, .loc = f->loc};
    struct fm_subst s;
    term_id range = fm_between(fm, f->lo[k], value, f->hi[k]);
    fm_subst_begin(&s, fm);
    fm_subst_var(&s, f->var[k], value);
    for (uint32_t i = 0; i < f->n; i++)
        if (i != k) {
            g.var[g.n] = f->var[i];
            g.lo[g.n] = fm_subst(&s, f->lo[i]);
            g.hi[g.n++] = fm_subst(&s, f->hi[i]);
        }
    g.cond = term_and(fm->store, range, fm_subst(&s, f->cond));
    g.value = fm_subst(&s, f->value);
    fm_subst_end(&s);
    return sum(fm, &g, depth + 1);
}

/* May index k be replaced by that value?  If it mentions other indices, their ranges must not
 * depend on index k: an index must not occur in its own range. */
static bool can_drop(struct fm *fm, const struct fm_fold *f, uint32_t k, term_id value,
                     uint64_t own)
{
    struct fm_fold others = *f;
    others.lo[k] = others.hi[k] = TERM_NONE;
    return !(fm_free_in(fm, value) & own) ||
           !(in_ranges(fm, &others) & fm_var_bit(fm_var_number(fm, f->var[k])));
}

/* Does the condition say no more than that an index is in its range? */
static bool says_range(struct fm *fm, const struct fm_fold *f, term_id condition)
{
    for (uint32_t k = 0; k < f->n; k++)
        if (condition == term_le(fm->store, f->lo[k], f->var[k]) ||
            condition == term_lt(fm->store, f->var[k], f->hi[k]))
            return true;
    return false;
}

/* A bound that is written in another way: conjunct number `conjunct` of the condition, or (-1) the
 * first value of index k. */
struct moving {
    const struct fm_fold *f;
    const struct conjuncts *c;
    struct sum_bound bound;
    size_t conjunct;
    uint32_t k;
};
#define NO_CONJUNCT SIZE_MAX

/* The sum with `at` as that bound and one more condition; the bound is left out where `at` is
 * TERM_NONE. */
static term_id instead(struct fm *fm, const struct moving *m, term_id at, term_id more, int depth)
{
    struct fm_fold g = *m->f;
    term_id cond = more;
    for (size_t i = 0; i < m->c->list.len; i++)
        if (i != m->conjunct)
            cond = term_and(fm->store, cond, m->c->list.data[i]);
    if (at != TERM_NONE && m->conjunct != NO_CONJUNCT)
        cond = term_and(fm->store, cond, sum_bound_condition(fm, &m->bound, at));
    if (at != TERM_NONE && m->conjunct == NO_CONJUNCT)
        g.lo[m->k] = at;
    return sum_of(fm, &g, cond, g.value, depth);
}

/* What the row contributes if the bound allows it. */
static term_id row_alone(struct fm *fm, const struct moving *m, term_id row, int depth)
{
    term_id here = term_eq(fm->store, m->bound.var, row);
    return instead(fm, m, m->conjunct == NO_CONJUNCT ? row : TERM_NONE, here, depth);
}

static term_id move_bound(struct fm *fm, const struct moving *m, int depth)
{
    struct term_store *s = fm->store;
    const struct term t = *term_get(s, m->bound.at);
    fm->splits++;
    if (t.op == TERM_OP_ITE)
        return term_ite(s, t.arg[0], instead(fm, m, t.arg[1], TERM_TRUE, depth),
                        instead(fm, m, t.arg[2], TERM_TRUE, depth));
    term_int by = term_get(s, t.arg[1])->lo;
    term_id total = instead(fm, m, t.arg[0], TERM_TRUE, depth);
    for (term_int i = by < 0 ? by : 0; i < (by < 0 ? 0 : by); i++) {
        term_id row = row_alone(fm, m, term_add(s, t.arg[0], term_const(s, i)), depth);
        total = m->bound.upper == (by > 0) ? term_add(s, total, row) : term_sub(s, total, row);
    }
    return total;
}

static term_id split_bound(struct fm *fm, const struct fm_fold *f, const struct conjuncts *c,
                           int depth)
{
    struct moving m = {.f = f, .c = c};
    if (fm->splits >= SPLITS_MAX)
        return TERM_NONE;
    for (m.k = 0; m.k < f->n; m.k++) {
        m.bound = (struct sum_bound){.var = f->var[m.k], .at = f->lo[m.k]};
        m.conjunct = NO_CONJUNCT;
        if (sum_bound_moves(fm, &m.bound))
            return move_bound(fm, &m, depth);
        for (m.conjunct = 0; m.conjunct < c->list.len; m.conjunct++)
            if (sum_bound_of(fm, c->list.data[m.conjunct], f->var[m.k], &m.bound) &&
                sum_bound_moves(fm, &m.bound))
                return move_bound(fm, &m, depth);
    }
    return TERM_NONE;
}

static term_id split_condition(struct fm *fm, const struct fm_fold *f, uint64_t own, int depth)
{
    struct conjuncts c = {0};
    term_id outside = TERM_TRUE, inside = TERM_TRUE, result = TERM_NONE;
    bool said = false;
    conjuncts_of(fm, f->cond, &c);
    for (size_t i = 0; i < c.list.len; i++) {
        term_id *to = fm_free_in(fm, c.list.data[i]) & own ? &inside : &outside;
        if (says_range(fm, f, c.list.data[i]))
            said = true;
        else
            *to = term_and(fm->store, *to, c.list.data[i]);
    }
    if (outside != TERM_TRUE || said)
        result = term_ite(fm->store, outside, sum_of(fm, f, inside, f->value, depth), zero(fm));
    for (size_t i = 0; i < c.list.len && result == TERM_NONE; i++)
        for (uint32_t k = f->n; k-- > 0 && result == TERM_NONE;) {
            term_id value = pinned(fm, c.list.data[i], f->var[k]);
            if (value != TERM_NONE && can_drop(fm, f, k, value, own))
                result = drop_index(fm, f, k, value, depth);
        }
    if (result == TERM_NONE)
        result = split_bound(fm, f, &c, depth);
    vec_free(&c.list);
    return result;
}

/* ---- indices ------------------------------------------------------------------------------- */

static term_id number_of(struct fm *fm, term_id lo, term_id hi)
{
    return term_ite(fm->store, term_le(fm->store, lo, hi), term_sub(fm->store, hi, lo), zero(fm));
}

static term_id drop_unused(struct fm *fm, const struct fm_fold *f, uint64_t own, int depth)
{
    for (uint32_t k = 0; k < f->n; k++) {
        uint64_t used = fm_free_in(fm, f->cond) | fm_free_in(fm, f->value) | in_ranges(fm, f);
        if ((used & fm_var_bit(fm_var_number(fm, f->var[k]))) ||
            ((fm_free_in(fm, f->lo[k]) | fm_free_in(fm, f->hi[k])) & own))
            continue;
        struct fm_fold g = *f;
        g.n--;
        for (uint32_t i = k; i < g.n; i++) {
            g.var[i] = g.var[i + 1];
            g.lo[i] = g.lo[i + 1];
            g.hi[i] = g.hi[i + 1];
        }
        return term_mul(fm->store, sum(fm, &g, depth + 1), number_of(fm, f->lo[k], f->hi[k]));
    }
    return TERM_NONE;
}

/* ---- writes -------------------------------------------------------------------------------- */

struct cells {
    struct fm *fm;
    uint32_t state; /* of which; 0: find the last overwritten one */
    VEC(const term_id *) index;
};

static void last_state(void *arg, const struct fm_leaf *l)
{
    struct cells *c = arg;
    if (l->kind == FM_CELL && c->fm->states.data[l->cell.state].kind == FM_OVERWRITTEN &&
        l->cell.state > c->state)
        c->state = l->cell.state;
}

static void collect_index(void *arg, const struct fm_leaf *l)
{
    struct cells *c = arg;
    if (l->kind != FM_CELL || l->cell.state != c->state)
        return;
    size_t bytes = c->fm->sx->tables[l->cell.table].n_dims * sizeof *l->cell.index;
    for (size_t i = 0; i < c->index.len; i++)
        if (!memcmp(c->index.data[i], l->cell.index, bytes))
            return;
    vec_push(&c->index, l->cell.index);
}

static void each_leaf(struct fm *fm, const struct fm_fold *f,
                      void (*fn)(void *, const struct fm_leaf *), void *arg)
{
    for (uint32_t k = 0; k < f->n; k++) {
        fm_each_leaf(fm, f->lo[k], fn, arg);
        fm_each_leaf(fm, f->hi[k], fn, arg);
    }
    fm_each_leaf(fm, f->cond, fn, arg);
    fm_each_leaf(fm, f->value, fn, arg);
}

static struct fm_fold substituted(struct fm_subst *s, const struct fm_fold *f)
{
    struct fm_fold g = *f;
    for (uint32_t k = 0; k < f->n; k++) {
        g.lo[k] = fm_subst(s, f->lo[k]);
        g.hi[k] = fm_subst(s, f->hi[k]);
    }
    g.cond = fm_subst(s, f->cond);
    g.value = fm_subst(s, f->value);
    return g;
}

static struct fm_fold lowered(struct fm *fm, const struct fm_fold *f, uint32_t state)
{
    struct fm_subst s;
    fm_subst_begin(&s, fm);
    fm_subst_state(&s, state, fm->states.data[state].below);
    struct fm_fold g = substituted(&s, f);
    fm_subst_end(&s);
    return g;
}

static struct fm_fold expanded(struct fm *fm, const struct fm_fold *f, uint32_t state,
                               const term_id *hit)
{
    struct fm_subst s;
    fm_subst_begin(&s, fm);
    fm_subst_expand(&s, state, hit);
    struct fm_fold g = substituted(&s, f);
    fm_subst_end(&s);
    return g;
}

static bool same_ranges(const struct fm_fold *a, const struct fm_fold *b)
{
    for (uint32_t k = 0; k < a->n; k++)
        if (a->lo[k] != b->lo[k] || a->hi[k] != b->hi[k])
            return false;
    return true;
}

/* Σ new − Σ old over the tuples with `where`. */
static term_id difference(struct fm *fm, const struct fm_fold *new, const struct fm_fold *old,
                          term_id where, int depth)
{
    struct term_store *s = fm->store;
    if (new->cond == old->cond && same_ranges(new, old))
        return sum_of(fm, new, term_and(s, where, new->cond), term_sub(s, new->value, old->value),
                      depth);
    return term_sub(s, sum_of(fm, new, term_and(s, where, new->cond), new->value, depth),
                    sum_of(fm, old, term_and(s, where, old->cond), old->value, depth));
}

struct leftover {
    struct fm *fm;
    const struct fm_fold *of;
    const struct fm_write *by;
};
#define LEFT_MAX 200 /* they are noted for messages */

static void note_left(void *arg, const struct fm_leaf *l)
{
    const struct leftover *o = arg;
    bool known = l->kind != FM_FOLD || l->fold.kind != SX_FOLD_SUM || !o->by->of;
    for (size_t i = 0; i < o->fm->left_sums.len && !known; i++)
        known = o->fm->left_sums.data[i].sum == l->term;
    if (!known && o->fm->left_sums.len < LEFT_MAX)
        vec_push(&o->fm->left_sums, ((struct fm_left_sum){l->term, o->of->loc, o->by}));
}

/* What the write adds to the sum; what is not written out in it is noted. */
static term_id added(struct fm *fm, const struct fm_fold *f, const struct fm_write *w, term_id what)
{
    struct leftover o = {fm, f, w};
    fm_each_leaf(fm, what, note_left, &o);
    return what;
}

/* At which tuples can the write hit that cell, whose index may mention variables of folds in the
 * body?  A condition on the sum's own variables that may hold too often. */
static term_id may_hit(struct fm *fm, const struct fm_write *w, const term_id *index, uint64_t own,
                       bool *pins)
{
    term_id may = TERM_TRUE;
    *pins = false;
    for (uint32_t d = 0; d < fm->sx->tables[w->table].n_dims; d++) {
        if (!fm_ground(fm, w->index[d]) || (fm_free_in(fm, index[d]) & FM_VAR_BITS & ~own))
            continue;
        const struct fm_leaf *l = fm_leaf_of(fm, index[d]);
        *pins |= l && l->kind == FM_VAR;
        may = term_and(fm->store, may, term_eq(fm->store, index[d], w->index[d]));
    }
    return may;
}

/* Cells in folds inside of the body, at rows that depend on the variables of these. */
static bool has_inner_cells(struct fm *fm, const struct cells *c, uint64_t own)
{
    const struct fm_write *w = fm->states.data[c->state].by;
    for (size_t i = 0; i < c->index.len; i++)
        for (uint32_t d = 0; d < fm->sx->tables[w->table].n_dims; d++)
            if (fm_free_in(fm, c->index.data[i][d]) & FM_VAR_BITS & ~own)
                return true;
    return false;
}

static term_id with_inner_cells(struct fm *fm, const struct fm_fold *f, const struct cells *c,
                                uint64_t own, int depth)
{
    const struct fm_write *w = fm->states.data[c->state].by;
    struct fm_fold old = lowered(fm, f, c->state);
    term_id total = sum(fm, &old, depth + 1), earlier = TERM_TRUE;
    for (size_t i = 0; i < c->index.len; i++) {
        bool pins;
        term_id may = may_hit(fm, w, c->index.data[i], own, &pins);
        if (!pins) { /* no index is fixed: all written out, a sum of its own */
            struct fm_fold all = expanded(fm, f, c->state, NULL);
            return added(fm, f, w, sum(fm, &all, depth + 1));
        }
        term_id more = difference(fm, f, &old, term_and(fm->store, earlier, may), depth);
        total = term_add(fm->store, total, added(fm, f, w, more));
        earlier = term_and(fm->store, earlier, term_not(fm->store, may));
    }
    return total;
}

/* The sum over an overwritten state, by sums over the state below. */
static term_id after_write(struct fm *fm, const struct fm_fold *f, uint32_t state, uint64_t own,
                           int depth)
{
    const struct fm_write *w = fm->states.data[state].by;
    struct cells c = {.fm = fm, .state = state};
    term_id total;
    each_leaf(fm, f, collect_index, &c);
    if (has_inner_cells(fm, &c, own)) {
        total = with_inner_cells(fm, f, &c, own, depth);
        vec_free(&c.index);
        return total;
    }
    struct fm_fold old = lowered(fm, f, state);
    term_id earlier = TERM_TRUE;
    total = sum(fm, &old, depth + 1);
    for (size_t i = 0; i < c.index.len; i++) {
        term_id hit = fm_hits(fm, w, c.index.data[i]);
        struct fm_fold new = expanded(fm, f, state, c.index.data[i]);
        term_id more = difference(fm, &new, &old, term_and(fm->store, earlier, hit), depth);
        total = term_add(fm->store, total, added(fm, f, w, more));
        earlier = term_and(fm->store, earlier, term_not(fm->store, hit));
    }
    vec_free(&c.index);
    return total;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static term_int clip(term_int v)
{
    return v > SUM_LIMIT ? SUM_LIMIT : v < -SUM_LIMIT ? -SUM_LIMIT : v;
}

/* The interval of the sum: its contributions times the number of tuples. */
static void bounds_of(struct fm *fm, const struct fm_fold *f, term_int *lo, term_int *hi)
{
    const struct term *v = term_get(fm->store, f->value);
    *lo = v->lo < 0 ? clip(v->lo) : 0;
    *hi = v->hi > 0 ? clip(v->hi) : 0;
    for (uint32_t k = 0; k < f->n; k++) {
        term_int n =
            clip(term_get(fm->store, f->hi[k])->hi) - clip(term_get(fm->store, f->lo[k])->lo);
        n = n < 0 ? 0 : n;
        bool fits = n <= ((term_int)1 << 66) && *hi < SUM_LIMIT >> 66 && *lo > -(SUM_LIMIT >> 66);
        if (n > 1) {
            *lo = *lo == 0 ? 0 : fits ? *lo * n : -SUM_LIMIT;
            *hi = *hi == 0 ? 0 : fits ? *hi * n : SUM_LIMIT;
        }
    }
}

static term_id leaf_of(struct fm *fm, const struct fm_fold *f, uint64_t own, int depth)
{
    struct cells c = {.fm = fm};
    term_int lo, hi;
    uint64_t is_free = fm_free_in(fm, f->cond) | fm_free_in(fm, f->value) | in_ranges(fm, f);
    each_leaf(fm, f, last_state, &c);
    if (!(is_free & FM_VAR_BITS & ~own) && c.state)
        return after_write(fm, f, c.state, own, depth);
    bounds_of(fm, f, &lo, &hi);
    return fm_fold_leaf(fm, f, lo, hi);
}

static term_id sum(struct fm *fm, const struct fm_fold *f, int depth)
{
    uint64_t own = own_vars(fm, f);
    if (depth > DEPTH_LIMIT || ++fm->work > WORK_LIMIT || fm->limit) {
        fm_too_much(fm, "a sum is too complicated", f->loc);
        return fm_unknown(fm, "sum", -SUM_LIMIT, SUM_LIMIT);
    }
    if (f->cond == TERM_FALSE || f->value == zero(fm))
        return zero(fm);
    if (f->n == 0)
        return term_ite(fm->store, f->cond, f->value, zero(fm));
    term_id other = split_condition(fm, f, own, depth);
    if (other == TERM_NONE)
        other = split_value(fm, f, own, depth);
    if (other == TERM_NONE)
        other = drop_unused(fm, f, own, depth);
    return other != TERM_NONE ? other : leaf_of(fm, f, own, depth);
}

/* While it is taken apart, the sum has binders of its own, which occur nowhere in it. */
term_id fm_sum(struct fm *fm, const struct fm_fold *f)
{
    if (fm->sums++ == 0)
        fm->splits = fm->work = 0;
    term_id t = sum(fm, f, 0);
    fm->sums--;
    return t;
}
