/* Terms that mention the index of a fold, at another index.
 *
 * Substitution goes through what leaves stand for: an external value of the row with the old index
 * becomes that of the row with the new one, which is a read of its own (of the same statement, with
 * the same visible set), and a fold inside becomes another fold.  The new index may itself mention
 * indices of folds around us (x->bounds), so the index of a fold inside is renamed to a greater
 * depth than theirs. */
#include <assert.h>

#include "symexec/fold.h"

static term_id rewrite_leaf(void *arg, uint32_t leaf);

/* ---- reads ---------------------------------------------------------------------------------- */

/* The guard of a read that was moved is that of the original, moved; but it may mention reads that
 * are moved in turn, so guards are made when the term at hand is done.  Of reads that
 * only guards mention, where there would be no end of it, and of those of a round that is under
 * way, no exact guard is made. */
static void moved_later(struct sx_rewrite *r, uint32_t of, uint32_t to, bool made)
{
    struct sx_exec *x = r->x;
    for (size_t i = 0; i < x->moved.len; i++) {
        const struct sx_moved *m = &x->moved.data[i];
        if (m->of == of && m->to == to && m->mapped == (r->mapped & ~SX_MASK_HOLE) &&
            memcmp(m->at, r->to, sizeof r->to) == 0)
            return;
    }
    struct sx_moved m = {.of = of,
                         .to = to,
                         .mapped = r->mapped & ~SX_MASK_HOLE,
                         .at = arena_copy(&x->scratch, r->to, sizeof r->to),
                         .n_seen = (uint32_t)x->bounds.len,
                         .in_guard = x->making_guards,
                         .made = made};
    m.seen = arena_copy(&x->scratch, x->bounds.data, x->bounds.len * sizeof *x->bounds.data);
    vec_push(&x->moved, m);
}

/* The new indices are in the bounds of the old ones, unless that is what bounds here say. */
static term_id in_bounds(struct sx_rewrite *r, const struct sx_read *of)
{
    struct sx_exec *x = r->x;
    term_id c = TERM_TRUE;
    for (uint32_t k = 0; k < of->n_bound; k++) {
        if (!(r->mapped & UINT32_C(1) << k))
            continue;
        term_id lo = sx_rewrite(r, of->bound[k].lo), hi = sx_rewrite(r, of->bound[k].hi),
                i = r->to[k];
        bool said = false;
        for (size_t b = 0; b < x->bounds.len; b++)
            said |= x->bounds.data[b].leaf == i && x->bounds.data[b].lo == lo &&
                    x->bounds.data[b].hi == hi;
        if (said)
            continue;
        c = term_and(x->store, c, term_le(x->store, lo, i));
        c = term_and(x->store, c, term_lt(x->store, i, hi));
    }
    return c;
}

static void make_guard(struct sx_exec *x, const struct sx_moved *m)
{
    struct sx_rewrite r = {.x = x, .mapped = m->mapped};
    struct sx_read of = x->reads.data[m->of];
    size_t n = x->bounds.len;
    struct sx_bound *here = arena_copy(&x->scratch, x->bounds.data, n * sizeof *here);
    memcpy(r.to, m->at, sizeof r.to);
    vec_clear(&x->bounds);
    for (uint32_t i = 0; i < m->n_seen; i++)
        vec_push(&x->bounds, m->seen[i]);
    term_id guard = sx_row_read_guard(x, m->of);
    bool exact = !m->in_guard && !(sx_mask(x, guard) & SX_MASK_HOLE);
    x->reads.data[m->to].again |= m->made && !exact;
    if (m->made && !x->fold)
        x->reads.data[m->to].before = of.before && exact ? sx_rewrite(&r, of.before) : TERM_TRUE;
    if (exact || x->reads.data[m->to].again)
        sx_row_read_where(
            x, m->to,
            term_and(x->store, in_bounds(&r, &of), exact ? sx_rewrite(&r, guard) : TERM_TRUE));
    sx_rewrite_free(&r);
    vec_clear(&x->bounds);
    for (size_t i = 0; i < n; i++)
        vec_push(&x->bounds, here[i]);
}

static term_id rewrite_read(struct sx_rewrite *r, const struct term_leaf *l)
{
    struct sx_exec *x = r->x;
    struct sx_row row = x->reads.data[l->a].row;
    uint32_t n = x->program->tables[row.table].n_dims;
    term_id *index = arena_array(&x->scratch, term_id, n + 1);
    bool made = false;
    for (uint32_t i = 0; i < n; i++)
        index[i] = sx_rewrite(r, row.index[i]);
    uint32_t object = sx_row_object(x, row.table, index);
    uint32_t to = sx_row_event_like(x, l->a, object, &made);
    if (to != l->a)
        moved_later(r, l->a, to, made);
    return sx_row_external(x, to, l->b);
}

/* ---- folds ---------------------------------------------------------------------------------- */

static term_id rewrite_fold(struct sx_rewrite *r, const struct term_leaf *l)
{
    struct sx_exec *x = r->x;
    struct sx_fold f = x->all_folds.data[l->a];
    size_t around = x->bounds.len;
    uint32_t depth = f.depth > around ? f.depth : (uint32_t)around;
    if (depth >= SX_DEPTH_MAX) {
        sx_fold_cannot(x, x->fold, f.loc, "it has too many loops in it");
        return TERM_NONE;
    }
    struct sx_rewrite in = {
        .x = x, .mapped = r->mapped & ~(UINT32_C(1) << f.depth), .hole = r->hole, .arg = r->arg};
    f.index.lo = sx_rewrite(r, f.index.lo);
    f.index.hi = sx_rewrite(r, f.index.hi);
    if (f.start)
        f.start = sx_rewrite(r, f.start);
    memcpy(in.to, r->to, sizeof in.to);
    if (f.depth != depth) {
        in.mapped |= UINT32_C(1) << f.depth;
        in.to[f.depth] = sx_bound_leaf(x, depth);
    }
    f.depth = depth;
    f.index.leaf = sx_bound_leaf(x, depth);
    while (x->bounds.len < depth) /* a depth that is not in use here */
        vec_push(&x->bounds, ((struct sx_bound){sx_bound_leaf(x, (uint32_t)x->bounds.len),
                                                term_const(x->store, 0), term_const(x->store, 1)}));
    vec_push(&x->bounds, f.index);
    f.cond = sx_rewrite(&in, f.cond);
    if (f.value)
        f.value = sx_rewrite(&in, f.value);
    x->bounds.len = around;
    sx_rewrite_free(&in);
    term_id v = sx_fold_make(x, f);
    return f.kind == SX_FOLD_ALL ? term_from_bool(x->store, v) : v;
}

/* ---- all ------------------------------------------------------------------------------------ */

static term_id rewrite_leaf(void *arg, uint32_t leaf)
{
    struct sx_rewrite *r = arg;
    struct term_leaf l = r->x->store->leaves.data[leaf];
    if (!(sx_mask(r->x, l.term) & r->mapped))
        return TERM_NONE;
    switch (l.kind) {
    case TERM_LEAF_BOUND:
        return r->to[l.a];
    case TERM_LEAF_EXT:
        return rewrite_read(r, &l);
    case TERM_LEAF_FOLD:
        return rewrite_fold(r, &l);
    case TERM_LEAF_FREE:
        return r->hole ? r->hole(r->arg, l.term) : TERM_NONE;
    default:
        return TERM_NONE;
    }
}

term_id sx_rewrite(struct sx_rewrite *r, term_id t)
{
    struct sx_exec *x = r->x;
    if (x->failed || !(sx_mask(x, t) & r->mapped))
        return t;
    r->subst.store = x->store;
    r->subst.fn = rewrite_leaf;
    r->subst.arg = r;
    x->rewriting++;
    t = term_substitute(&r->subst, t);
    x->rewriting--;
    for (size_t i = 0; x->rewriting == 0 && i < x->moved.len; i++) {
        struct sx_moved m = x->moved.data[i];
        x->rewriting++;
        x->making_guards = true;
        make_guard(x, &m);
        x->making_guards = false;
        x->rewriting--;
    }
    if (x->rewriting == 0)
        vec_clear(&x->moved);
    return t;
}

void sx_rewrite_free(struct sx_rewrite *r)
{
    term_subst_free(&r->subst);
}

term_id sx_at_index(struct sx_exec *x, term_id t, uint32_t d, term_id index)
{
    struct sx_rewrite r = {.x = x, .mapped = UINT32_C(1) << d};
    r.to[d] = index;
    t = sx_rewrite(&r, t);
    sx_rewrite_free(&r);
    return t;
}
