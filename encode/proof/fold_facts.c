/* What is true of a fold, given what it means: see ground.h.
 *
 * "There is an index such that" becomes a new unknown, a witness; "for all indices" becomes a claim
 * whose instances are asserted.
 *
 *   all      true: the condition holds for all; false: it does not hold for the witness
 *   first    is in range and fulfils the condition, or is the end; nothing before it does
 *   least    is at most the start and every value; is the start or the witness's value
 *   greatest likewise
 *   sum      see below */
#include "encode/proof/ground.h"

/* ---- parts of a fold ----------------------------------------------------------------------- */

/* The fold with terms for its variables. */
static struct fm_fold at(struct fm *fm, const struct fm_fold *f, const term_id *index)
{
    struct fm_fold g = *f;
    struct fm_subst s;
    fm_subst_begin(&s, fm);
    for (uint32_t k = 0; k < f->n; k++) {
        fm_subst_var(&s, f->var[k], index[k]);
        g.var[k] = index[k];
    }
    for (uint32_t k = 0; k < f->n; k++) {
        g.lo[k] = fm_subst(&s, f->lo[k]);
        g.hi[k] = fm_subst(&s, f->hi[k]);
    }
    g.cond = fm_subst(&s, f->cond);
    g.value = fm_subst(&s, f->value);
    fm_subst_end(&s);
    return g;
}

/* New unknowns for the indices: in range where they are witnesses of something. */
static struct fm_fold at_witness(struct fm *fm, const struct fm_fold *f)
{
    term_id index[FM_SUM_INDICES];
    for (uint32_t k = 0; k < f->n; k++) {
        term_int lo = term_get(fm->store, f->lo[k])->lo;
        term_int hi = term_get(fm->store, f->hi[k])->hi;
        bool sane = lo >= term_type_min(64, true) && hi <= term_type_max(64, false) && lo < hi;
        index[k] = sane ? fm_unknown(fm, "row", lo, hi)
                        : fm_unknown(fm, "row", term_type_min(64, true), term_type_max(64, false));
    }
    return at(fm, f, index);
}

/* At the variables of a claim, from number `first` on. */
static struct fm_fold at_params(struct fm *fm, const struct fm_fold *f, uint32_t first)
{
    return at(fm, f, &fm->var[FM_PARAM + first]);
}

/* For all indices; g->age is that of the facts about the fold, which is one more than its own. */
static void claim(struct ground *g, uint32_t n, term_id body)
{
    ground_for_all(
        g, &(struct ground_for_all){.n = n, .body = body, .guard = g->z->yes, .age = g->age - 1});
}

/* Of sums: for rows that are not far away. */
static void claim_near(struct ground *g, uint32_t n, term_id body, unsigned reach)
{
    ground_for_all(
        g, &(struct ground_for_all){
               .n = n, .body = body, .guard = g->z->yes, .age = g->age - 1, .reach = reach});
}

static void fact(struct ground *g, term_id t)
{
    ground_assert(g, g->z->yes, t);
}

/* ---- all, first, least, greatest ----------------------------------------------------------- */

static void facts_of_all(struct ground *g, const struct fm_leaf *l)
{
    struct fm *fm = g->fm;
    struct term_store *s = fm->store;
    struct fm_fold any = at_params(fm, &l->fold, 0), no = at_witness(fm, &l->fold);
    term_id all = term_truth(s, l->term), cond = no.cond;
    no.cond = TERM_TRUE;
    fact(g, term_or(s, all, term_and(s, fm_in_fold(fm, &no), term_not(s, cond))));
    cond = any.cond;
    any.cond = TERM_TRUE;
    claim(g, 1, term_implies(s, term_and(s, all, fm_in_fold(fm, &any)), cond));
}

static void facts_of_first(struct ground *g, const struct fm_leaf *l)
{
    struct fm *fm = g->fm;
    struct term_store *s = fm->store;
    struct fm_fold found = at(fm, &l->fold, &l->term), any = at_params(fm, &l->fold, 0);
    fact(g, term_or(s, term_eq(s, l->term, l->fold.hi[0]), fm_in_fold(fm, &found)));
    claim(g, 1,
          term_implies(s, term_lt(s, any.var[0], l->term), term_not(s, fm_in_fold(fm, &any))));
}

/* a <= b, or for the greatest b <= a. */
static term_id before(struct fm *fm, bool least, term_id a, term_id b)
{
    return least ? term_le(fm->store, a, b) : term_le(fm->store, b, a);
}

static void facts_of_extreme(struct ground *g, const struct fm_leaf *l)
{
    struct fm *fm = g->fm;
    struct term_store *s = fm->store;
    bool least = l->fold.kind == SX_FOLD_MIN;
    struct fm_fold any = at_params(fm, &l->fold, 0), one = at_witness(fm, &l->fold);
    fact(g, before(fm, least, l->term, l->fold.start));
    fact(g, term_or(s, term_eq(s, l->term, l->fold.start),
                    term_and(s, fm_in_fold(fm, &one), term_eq(s, l->term, one.value))));
    claim(g, 1, term_implies(s, fm_in_fold(fm, &any), before(fm, least, l->term, any.value)));
}

/* ---- sums ---------------------------------------------------------------------------------- */

/* Facts about a sum S with contributions c(i), which are 0 outside of its range or condition:
 *   S > 0: some contribution is.  S < 0: some contribution is.
 *   no contribution is negative: S is at least every one of them, and any two of different indices
 *   a count is at most the number of indices, less one for an index that does not count
 *   every contribution is at most (at least) c: S is at most (at least) c times its count
 *   no contribution on state A is more than on state B: neither is S */
static term_id contribution(struct fm *fm, const struct fm_fold *f)
{
    return term_ite(fm->store, fm_in_fold(fm, f), f->value, term_const(fm->store, 0));
}

static term_id different(struct fm *fm, const struct fm_fold *a, const struct fm_fold *b)
{
    term_id same = TERM_TRUE;
    for (uint32_t k = 0; k < a->n; k++)
        same = term_and(fm->store, same, term_eq(fm->store, a->var[k], b->var[k]));
    return term_not(fm->store, same);
}

static void facts_of_count(struct ground *g, const struct fm_leaf *l)
{
    struct fm *fm = g->fm;
    struct term_store *s = fm->store;
    if (l->fold.n != 1)
        return;
    struct fm_fold any = at_params(fm, &l->fold, 0), range = any;
    term_id empty = term_le(s, l->fold.hi[0], l->fold.lo[0]);
    term_id n = term_sub(s, l->fold.hi[0], l->fold.lo[0]);
    fact(g, term_or(s, empty, term_le(s, l->term, n)));
    range.cond = TERM_TRUE;
    claim_near(g, 1,
               term_implies(s, term_and(s, fm_in_fold(fm, &range), term_not(s, any.cond)),
                            term_lt(s, l->term, n)),
               2);
}

static void facts_of_sum(struct ground *g, const struct fm_leaf *l)
{
    struct fm *fm = g->fm;
    struct term_store *s = fm->store;
    term_id zero = term_const(s, 0), negative = TERM_FALSE;
    uint32_t n = l->fold.n;
    if (term_get(s, l->fold.value)->lo < 0) {
        struct fm_fold bad = at_witness(fm, &l->fold);
        negative = term_and(s, fm_in_fold(fm, &bad), term_lt(s, bad.value, zero));
        fact(g, term_or(s, negative, term_le(s, zero, l->term)));
    }
    if (l->fold.value == term_const(s, 1))
        facts_of_count(g, l);
    struct fm_fold some = at_witness(fm, &l->fold), any = at_params(fm, &l->fold, 0);
    fact(g, term_or(s, term_le(s, l->term, zero),
                    term_and(s, fm_in_fold(fm, &some), term_lt(s, zero, some.value))));
    claim_near(g, n, term_or(s, negative, term_le(s, contribution(fm, &any), l->term)), 2);
    if (n != 1)
        return;
    struct fm_fold other = at_params(fm, &l->fold, n);
    term_id both = term_add(s, contribution(fm, &any), contribution(fm, &other));
    claim_near(g, 2 * n,
               term_or(s, negative,
                       term_implies(s, different(fm, &any, &other), term_le(s, both, l->term))),
               1);
}

/* Facts about sums that only instances mention lead to ever more of them. */
#define SUM_OLDEST 1
#define BOUNDS_MAX 4 /* constants that the contributions of one sum are compared with */
#define PAIRS_MAX 12 /* of sums that are compared, in one step */

/* "Every contribution is at most c, so the sum is at most c times the number of rows that count."
 * Or some contribution, that of a witness, is more than c. */
static void bounded_by(struct ground *g, const struct fm_leaf *l, term_id count, term_id c,
                       bool most)
{
    struct fm *fm = g->fm;
    struct term_store *s = fm->store;
    struct fm_fold other = at_witness(fm, &l->fold);
    term_id bound = term_mul(s, count, c);
    term_id beyond = most ? term_lt(s, c, other.value) : term_lt(s, other.value, c);
    fact(g,
         term_or(s, before(fm, most, l->term, bound), term_and(s, fm_in_fold(fm, &other), beyond)));
}

/* Which constants matter: those that invariants compare the field with.  (That contributions are
 * not negative, x > -1, is part of facts_of_sum.) */
static void facts_of_bounded(struct ground *g, const struct fm_leaf *l)
{
    struct fm *fm = g->fm;
    const struct fm_leaf *cell = fm_leaf_of(fm, l->fold.value);
    if (!cell || cell->kind != FM_CELL)
        return;
    const ground_terms *known = &g->bounds[cell->cell.table][cell->cell.field];
    struct fm_fold counting = l->fold;
    term_id bound[BOUNDS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < known->len && n < BOUNDS_MAX; i++)
        if (known->data[i] != term_const(fm->store, 0) &&
            known->data[i] != term_const(fm->store, -1))
            bound[n++] = known->data[i];
    counting.value = term_const(fm->store, 1);
    term_id count = n ? fm_fold(fm, &counting) : TERM_NONE;
    for (size_t i = 0; i < n; i++) {
        bounded_by(g, l, count, bound[i], true);
        bounded_by(g, l, count, bound[i], false);
    }
}

/* The fold on no state in particular, so that sums that differ in their states alone are equal. */
static term_id on_any_state(struct ground *g, const struct fm_leaf *l)
{
    term_id t = l->term;
    for (uint32_t i = 1; i < g->fm->states.len; i++)
        if (g->fm->states.data[i].kind == FM_UNKNOWN)
            t = fm_on(g->fm, t, i, FM_ANY_STATE);
    return t;
}

/* a <= b, or a witness contributes more to a. */
static void not_more(struct ground *g, const struct fm_leaf *a, const struct fm_leaf *b)
{
    struct fm *fm = g->fm;
    struct fm_fold x = at_witness(fm, &a->fold), y = at(fm, &b->fold, x.var);
    fact(g, term_or(fm->store, term_le(fm->store, a->term, b->term),
                    term_lt(fm->store, contribution(fm, &y), contribution(fm, &x))));
}

/* A witness is in the range of both, then. */
static bool same_ranges(const struct fm_fold *a, const struct fm_fold *b)
{
    bool same = a->n == b->n;
    for (uint32_t k = 0; k < a->n && same; k++)
        same = a->lo[k] == b->lo[k] && a->hi[k] == b->hi[k];
    return same;
}

/* Does the transaction itself add it up? */
static bool is_seen(const struct ground *g, const struct fm_leaf *l, unsigned age)
{
    return age == 0 && (l->free & g->seen);
}

/* One sum on two states: if no row contributes more on the one, neither does the sum.  One of the
 * two is what the transaction has seen: there are too many others. */
static void facts_of_pairs(struct ground *g, const struct fm_leaf *l, unsigned age)
{
    term_id mine = on_any_state(g, l);
    for (size_t i = 0; i < g->n_told && g->n_pairs < PAIRS_MAX; i++) {
        const struct fm_leaf *other = g->folds.data[i];
        unsigned its_age = g->fold_age.data[i];
        if (other == l || other->fold.kind != SX_FOLD_SUM || its_age > SUM_OLDEST ||
            (!is_seen(g, l, age) && !is_seen(g, other, its_age)) ||
            !same_ranges(&l->fold, &other->fold) || on_any_state(g, other) != mine)
            continue;
        g->n_pairs++;
        not_more(g, l, other);
        not_more(g, other, l);
    }
}

void ground_fold_facts(struct ground *g, const struct fm_leaf *l, unsigned age)
{
    switch (l->fold.kind) {
    case SX_FOLD_ALL:
        facts_of_all(g, l);
        break;
    case SX_FOLD_FIRST:
        facts_of_first(g, l);
        break;
    case SX_FOLD_MIN:
    case SX_FOLD_MAX:
        facts_of_extreme(g, l);
        break;
    case SX_FOLD_SUM:
        if (g->effort > 0 && age <= SUM_OLDEST) {
            facts_of_sum(g, l);
            if (g->effort > 1 && age == 0) /* a sum of the step itself */
                facts_of_bounded(g, l);
            if (g->effort > 1)
                facts_of_pairs(g, l, age);
        }
        break;
    }
}
