/* See evaluate.h.  Values are kept per level: with one more index bound, all are computed afresh,
 * for any of them may depend on it. */
#include "symexec/evaluate.h"

#include <assert.h>

static term_int value_of_leaf(void *arg, uint32_t leaf);

static struct term_evaluator *here(struct sx_evaluator *e)
{
    while (e->at.len <= e->level)
        vec_push(&e->at, mem_calloc(1, sizeof(struct term_evaluator)));
    struct term_evaluator *t = e->at.data[e->level];
    t->store = &e->program->store;
    t->leaf = value_of_leaf;
    t->arg = e;
    return t;
}

/* One more index is bound. */
static void enter(struct sx_evaluator *e)
{
    e->level++;
    term_evaluator_reset(here(e));
}

term_int sx_evaluate(struct sx_evaluator *e, term_id t)
{
    return term_eval(here(e), t);
}

struct folding {
    const struct sx_fold *f;
    term_int result;
    bool done;
};

static void fold_one(struct folding *g, struct sx_evaluator *e)
{
    bool cond = sx_evaluate(e, g->f->cond);
    term_int v = cond && g->f->value ? sx_evaluate(e, g->f->value) : 0;
    switch (g->f->kind) {
    case SX_FOLD_ALL:
        g->result &= cond;
        g->done = !cond;
        return;
    case SX_FOLD_SUM:
        g->result += v;
        return;
    case SX_FOLD_MIN:
        g->result = cond && v < g->result ? v : g->result;
        return;
    case SX_FOLD_MAX:
        g->result = cond && v > g->result ? v : g->result;
        return;
    case SX_FOLD_FIRST:
        g->result = cond ? e->bound[g->f->depth] : g->result;
        g->done = cond;
    }
}

static term_int value_of_fold(struct sx_evaluator *e, const struct sx_fold *f)
{
    term_int lo = sx_evaluate(e, f->index.lo), hi = sx_evaluate(e, f->index.hi);
    term_int outer = e->bound[f->depth];
    struct folding g = {.f = f};
    if (f->kind == SX_FOLD_ALL)
        g.result = 1;
    else if (f->kind == SX_FOLD_FIRST)
        g.result = hi;
    else if (f->start)
        g.result = sx_evaluate(e, f->start);
    for (term_int i = lo; i < hi && !g.done; i++) {
        enter(e);
        e->bound[f->depth] = i;
        fold_one(&g, e);
        e->level--;
    }
    e->bound[f->depth] = outer;
    return g.result;
}

static term_int value_of_leaf(void *arg, uint32_t leaf)
{
    struct sx_evaluator *e = arg;
    const struct term_leaf *l = &e->program->store.leaves.data[leaf];
    switch (l->kind) {
    case TERM_LEAF_SIZE:
        return e->size;
    case TERM_LEAF_BOUND:
        return e->bound[l->a];
    case TERM_LEAF_FOLD:
        assert(l->owner == e->summary->id);
        return value_of_fold(e, &e->summary->folds[l->a]);
    default:
        return e->leaf(e->arg, e, leaf);
    }
}

void sx_evaluate_each(struct sx_evaluator *e, const struct sx_bound *bound, uint32_t n,
                      void (*fn)(void *arg, struct sx_evaluator *e), void *arg)
{
    if (n == 0) {
        fn(arg, e);
        return;
    }
    uint32_t depth =
        e->program->store.leaves.data[term_get(&e->program->store, bound->leaf)->arg[0]].a;
    term_int lo = sx_evaluate(e, bound->lo), hi = sx_evaluate(e, bound->hi);
    for (term_int i = lo; i < hi; i++) {
        enter(e);
        e->bound[depth] = i;
        sx_evaluate_each(e, bound + 1, n - 1, fn, arg);
        e->level--;
    }
}

void sx_evaluator_reset(struct sx_evaluator *e)
{
    assert(e->level == 0);
    term_evaluator_reset(here(e));
}

void sx_evaluator_free(struct sx_evaluator *e)
{
    for (size_t i = 0; i < e->at.len; i++) {
        term_evaluator_free(e->at.data[i]);
        mem_free(e->at.data[i]);
    }
    vec_free(&e->at);
}
