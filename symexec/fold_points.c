/* The points of a fold: from what may stop a round to what stops the loop.
 *
 * Rounds are in C's order.  A point fires in a round if the round happens (no earlier one left the
 * loop), if nothing has stopped the round before the point, and if the point's condition is false;
 * so at most one stopping point fires in a round.  The execution stops at the first round in which
 * one does.  Terms of later rounds mean nothing then, but that does not matter: a point fires in
 * the loop if and only if it fires in some round, and the first such round is one whose terms
 * count.
 *
 * If all stopping points of the loop have the same effect (all of them assumptions, or all of them
 * roll back) then which one comes first cannot be seen, and the condition of each is ALL.
 * Otherwise the first rounds are compared: a point decides if the first round in which it fires
 * comes before those of the others.  An assertion is reached in the rounds up to the one that
 * stops. */
#include "symexec/fold.h"

/* The sum of the innermost fold that the condition is about, not in inner folds. */
static struct sx_hole *sum_in(struct sx_exec *x, term_id cond)
{
    struct term_subst visit = {.store = x->store}; /* replaces nothing, but sees every term */
    struct sx_hole *sum = NULL;
    (void)term_substitute(&visit, cond);
    for (uint32_t i = 0; i < x->fold->n_holes; i++)
        if (x->fold->holes[i].shape == SX_SHAPE_SUM && map_get(&visit.done, x->fold->holes[i].leaf))
            sum = &x->fold->holes[i];
    term_subst_free(&visit);
    return sum;
}

bool sx_fold_overflow(struct sx_exec *x, enum sx_point_kind kind, term_id cond, struct src_loc loc,
                      const char *text)
{
    struct sx_hole *h = sum_in(x, cond);
    if (!h)
        return false;
    if (kind != SX_OVERFLOW)
        sx_fold_cannot(x, x->fold, loc, "a round looks at what the rounds before it left");
    if (h->checked)
        return true;
    h->checked = true;
    h->loc = loc;
    h->text = text;
    return true;
}

/* ---- rounds --------------------------------------------------------------------------------- */

term_id sx_fold_happens(struct sx_exec *x, struct sx_fold_frame *f)
{
    if (f->leaves == TERM_FALSE)
        return TERM_TRUE;
    if (f->left == TERM_NONE)
        f->left = sx_fold_first(x, f, f->leaves);
    return term_le(x->store, f->index.leaf, f->left);
}

term_id sx_fold_not_stopped(struct sx_exec *x, struct sx_fold_frame *f)
{
    if (f->stops == TERM_FALSE)
        return TERM_TRUE;
    return term_le(x->store, f->index.leaf, sx_fold_first(x, f, f->stops));
}

term_id sx_fold_reached(struct sx_exec *x, struct sx_fold_frame *f)
{
    return term_and(x->store, sx_fold_happens(x, f), sx_fold_not_stopped(x, f));
}

/* ---- points --------------------------------------------------------------------------------- */

struct stop {
    term_id fires; /* in the round */
    term_id first; /* the first round in which it does */
};

/* What can be seen of a stopping point. */
enum effect { NO_EXECUTION, ROLLBACK, CHECK };

static enum effect effect_of(const struct sx_point *p)
{
    return p->kind == SX_ASSUME ? NO_EXECUTION : p->rolls_back ? ROLLBACK : CHECK;
}

static bool stops(const struct sx_point *p)
{
    return sx_point_stops(p->kind) && !p->exact;
}

static bool order_shows(const struct sx_point *a, const struct sx_point *b)
{
    return effect_of(a) != effect_of(b) || effect_of(a) == CHECK;
}

static bool any_order_shows(const struct sx_fold_points *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++)
            if (stops(&p->list[i]) && stops(&p->list[j]) && order_shows(&p->list[i], &p->list[j]))
                return true;
    return false;
}

/* The points of the round, without holes and without those that never fire. */
static struct sx_fold_points take_points(struct sx_exec *x, struct sx_fold_frame *f)
{
    size_t n = x->points.len - f->first_point;
    struct sx_fold_points p = {.list = arena_array(&x->scratch, struct sx_point, n + 1)};
    for (size_t i = 0; i < n; i++) {
        struct sx_point q = x->points.data[f->first_point + i];
        q.guard = sx_holes_filled(x, f, q.guard);
        q.cond = sx_holes_filled(x, f, q.cond);
        q.before = sx_holes_filled(x, f, q.before);
        p.list[p.n++] = q;
    }
    x->points.len = f->first_point;
    return p;
}

static void settle_stops(struct sx_exec *x, struct sx_fold_frame *f, struct sx_fold_points *p)
{
    struct term_store *s = x->store;
    struct stop *stop = arena_array(&x->scratch, struct stop, p->n + 1);
    bool ordered = any_order_shows(p);
    f->stops = TERM_FALSE;
    for (size_t i = 0; i < p->n; i++) {
        struct sx_point *q = &p->list[i];
        if (!stops(q))
            continue;
        term_id here = term_and(s, term_and(s, sx_fold_happens(x, f), q->before), q->guard);
        stop[i].fires = term_and(s, here, term_not(s, q->cond));
        f->stops = term_or(s, f->stops, stop[i].fires);
        if (ordered)
            stop[i].first = sx_fold_first(x, f, stop[i].fires);
        else
            q->cond = sx_fold_all(x, f, term_not(s, stop[i].fires));
    }
    for (size_t i = 0; i < p->n && ordered; i++) {
        if (!stops(&p->list[i]))
            continue;
        term_id decides = term_lt(s, stop[i].first, f->index.hi);
        for (size_t j = 0; j < p->n; j++)
            if (j != i && stops(&p->list[j]) && order_shows(&p->list[i], &p->list[j]))
                decides = term_and(s, decides, term_lt(s, stop[i].first, stop[j].first));
        p->list[i].cond = term_not(s, decides);
    }
}

struct sx_fold_points sx_fold_points(struct sx_exec *x, struct sx_fold_frame *f)
{
    struct sx_fold_points p = take_points(x, f);
    struct term_store *s = x->store;
    settle_stops(x, f, &p);
    for (size_t i = 0; i < p.n; i++) {
        struct sx_point *q = &p.list[i];
        if (stops(q))
            continue;
        term_id here = term_and(s, term_and(s, sx_fold_reached(x, f), q->before), q->guard);
        q->cond = sx_fold_all(x, f, term_implies(s, here, q->cond));
    }
    return p;
}

void sx_fold_points_add(struct sx_exec *x, const struct sx_fold_points *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i].kind == SX_ASSERT)
            sx_assertion(x, p->list[i].cond, p->list[i].loc, p->list[i].text);
    for (size_t i = 0; i < p->n; i++) {
        const struct sx_point *q = &p->list[i];
        size_t n = x->points.len;
        if (q->kind != SX_ASSERT)
            sx_require(x, q->kind, q->cond, q->loc, q->text);
        for (; n < x->points.len; n++)
            x->points.data[n].advice = q->advice;
    }
}
