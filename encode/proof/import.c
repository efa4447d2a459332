/* Summaries as formulas, see import.h. */
#include "encode/proof/import.h"

#include <assert.h>

static term_id import_cell(struct fm_import *im, const struct term_leaf *l)
{
    const struct sx_read *r = &im->sum->reads[l->a];
    uint32_t n = im->fm->sx->tables[r->row.table].n_dims;
    const term_id *index = fm_import_all(im, r->row.index, n);
    return fm_cell(im->fm, im->state[l->a], r->row.table, l->b, index);
}

static term_id index_var(struct fm_import *im, uint32_t depth, struct src_loc loop)
{
    if (depth >= FM_INDICES)
        fm_too_much(im->fm, "loops are nested too deeply", loop);
    return im->fm->var[FM_INDEX + depth % FM_INDICES];
}

static term_id import_fold(struct fm_import *im, const struct sx_fold *of)
{
    struct fm_fold f = {.kind = of->kind, .n = 1, .loc = of->loc};
    f.var[0] = index_var(im, of->depth, of->loc);
    f.lo[0] = fm_import(im, of->index.lo);
    f.hi[0] = fm_import(im, of->index.hi);
    f.cond = fm_import(im, of->cond);
    f.value = fm_import(im, of->value);
    f.start = fm_import(im, of->start);
    return fm_fold(im->fm, &f);
}

static term_id import_leaf(void *arg, uint32_t leaf)
{
    struct fm_import *im = arg;
    const struct term_leaf l = im->fm->store->leaves.data[leaf];
    uint64_t *input = map_get(&im->inputs, leaf);
    if (input)
        return (term_id)*input;
    switch (l.kind) {
    case TERM_LEAF_EXT:
        return import_cell(im, &l);
    case TERM_LEAF_BOUND:
        return index_var(im, l.a, (struct src_loc){0});
    case TERM_LEAF_FOLD:
        return import_fold(im, &im->sum->folds[l.a]);
    default:
        return TERM_NONE;
    }
}

void fm_import_begin(struct fm_import *im, struct fm *fm, const struct sx_summary *sum,
                     const uint32_t *state, const term_id *input)
{
    *im = (struct fm_import){.fm = fm, .sum = sum, .state = state, .input = input};
    im->subst =
        (struct term_subst){.store = fm->store, .fn = import_leaf, .arg = im, .total = true};
    for (size_t i = 0; i < sum->n_inputs; i++)
        map_put(&im->inputs, term_get(fm->store, sum->inputs[i].leaf)->arg[0], input[i], NULL);
}

term_id fm_import(struct fm_import *im, term_id t)
{
    return t == TERM_NONE ? TERM_NONE : term_substitute(&im->subst, t);
}

const term_id *fm_import_all(struct fm_import *im, const term_id *t, size_t n)
{
    term_id *to = arena_array(&im->fm->arena, term_id, n + 1);
    for (size_t i = 0; i < n; i++)
        to[i] = fm_import(im, t[i]);
    return to;
}

term_id fm_import_range(struct fm_import *im, const struct sx_bound *bound, uint32_t n)
{
    term_id in = TERM_TRUE;
    for (uint32_t b = 0; b < n; b++)
        in = term_and(im->fm->store, in,
                      fm_between(im->fm, fm_import(im, bound[b].lo), fm_import(im, bound[b].leaf),
                                 fm_import(im, bound[b].hi)));
    return in;
}

void fm_import_end(struct fm_import *im)
{
    term_subst_free(&im->subst);
    map_free(&im->inputs);
}

/* ---- predicates ---------------------------------------------------------------------------- */

/* The values of an input of a predicate. */
static term_id range_of(struct fm *fm, struct fm_import *im, size_t i)
{
    const struct sx_input *in = &im->sum->inputs[i];
    const struct term leaf = *term_get(fm->store, in->leaf);
    term_id p = fm->var[FM_PARAM + i];
    if (in->below != TERM_NONE)
        return fm_between(fm, term_const(fm->store, 0), p, fm_import(im, in->below));
    return term_in_range(fm->store, p, leaf.lo, leaf.hi);
}

struct fm_template fm_import_predicate(struct fm *fm, const struct sx_summary *sum)
{
    struct term_store *s = fm->store;
    struct fm_template t = {.of = sum, .name = sum->func->name, .n = (uint32_t)sum->n_inputs};
    t.refused = sum->n_inputs > FM_PARAMS;
    t.range = t.body = TERM_TRUE;
    t.unwinds = TERM_FALSE;
    if (t.refused)
        return t;
    uint32_t *state = mem_calloc(sum->n_reads + 1, sizeof *state); /* FM_ANY_STATE */
    struct fm_import im;
    fm_import_begin(&im, fm, sum, state, &fm->var[FM_PARAM]);
    for (size_t i = 0; i < sum->n_inputs; i++)
        t.range = term_and(s, t.range, range_of(fm, &im, i));
    t.body = fm_import(&im, sum->holds);
    for (size_t i = 0; i < sum->n_points; i++) {
        const struct sx_point *p = &sum->points[i];
        if (p->kind == SX_OVERFLOW) /* the value is exact all the same */
            continue;
        term_id fires = term_and(s, p->guard, term_not(s, p->cond));
        t.body = term_and(s, t.body, term_not(s, fm_import(&im, fires)));
        if (p->kind == SX_UNWIND)
            t.unwinds = term_or(s, t.unwinds, fm_import(&im, sx_point_fires(fm->sx, p)));
    }
    fm_import_end(&im);
    mem_free(state);
    return t;
}
