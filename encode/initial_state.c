/* Does the program's initial state satisfy the properties?  (With ANY: on tables of every size that
 * runs are on.)
 *
 * The answer is the same for all models, so the first question finds it out for all, in a solver
 * context of its own: the contexts of the questions then do not depend on which of them that was.
 * If something is violated, or if the solver does not know, each question looks for itself: its
 * verdict needs an execution. */
#include <assert.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "encode/inquiry.h"

static void free_items(run_items *items)
{
    for (size_t i = 0; i < items->len; i++)
        exec_free(items->data[i].execution);
    vec_free(items);
}

static void run_initial(struct inquiry *q, bool quietly, struct z3ctx_pool *pool,
                        const bool *wanted, run_items *items)
{
    struct run_input in = inquiry_run(q);
    in.initially = true;
    in.quietly = quietly;
    in.pool = pool;
    in.wanted = wanted;
    run_bounded(&in, items);
}

/* With the lock: ask about all properties. */
static enum initial_answer ask(struct inquiry *q, double deadline, run_items *items)
{
    size_t n = q->props->v.len;
    bool *all = mem_calloc(n + 1, sizeof *all);
    struct z3ctx_pool *pool = enc_pool_new();
    memset(all, true, n);
    enc_pool_deadline(pool, deadline);
    run_initial(q, true, pool, all, items);
    enc_pool_free(pool);
    mem_free(all);
    bool holds = true;
    for (size_t i = 0; i < items->len; i++)
        holds &= items->data[i].status == VERIFY_HOLDS;
    if (!holds)
        free_items(items);
    return holds ? INITIAL_HOLDS : INITIAL_UNCLEAR;
}

/* The items of all properties in the initial state, if all hold there; else NULL. */
static const run_items *known_items(struct inquiry *q, double deadline)
{
    struct summaries *s = verify_shared(q->v, q->sx);
    if (q->q->dump_smt2) /* the formula is wanted */
        return NULL;
    pthread_mutex_lock(&q->v->shared->lock);
    if (s->initial == INITIAL_NOT_ASKED)
        s->initial = ask(q, deadline, &s->initial_items);
    bool holds = s->initial == INITIAL_HOLDS;
    pthread_mutex_unlock(&q->v->shared->lock);
    return holds ? &s->initial_items : NULL;
}

void inquiry_find_base(struct inquiry *q, double deadline, bool *base)
{
    size_t n = q->sx->n_invariants;
    assert(!q->max_rows); /* a run says nothing about tables of any size */
    memset(base, true, n);
    if (!inquiry_has_start(q) || known_items(q, deadline))
        return;
    run_items items = {0};
    run_initial(q, true, q->pool, q->unsettled, &items);
    memset(base, false, n);
    for (size_t i = 0; i < items.len; i++)
        for (size_t k = 0; k < n; k++)
            if (items.data[i].status == VERIFY_HOLDS &&
                properties_of_predicate(q->props, q->sx->invariants[k]->func) ==
                    items.data[i].property)
                base[k] = true;
    free_items(&items);
}

/* What holds of an invariant is no verdict yet; what holds of INITIAL's own checks is one. */
static bool is_verdict(const struct inquiry *q, const struct run_item *item)
{
    return item->status != VERIFY_HOLDS ||
           (q->props->v.data[item->property].kind != VERIFY_INVARIANT && !q->v->ast->n_large &&
            properties_in(q->props, item->property, q->sx->initial));
}

/* What holds is a verdict once it does on tables of all sizes. */
static void add_verdict(struct inquiry *q, const struct run_item *item, uint64_t rows)
{
    inquiry_add(q, (struct verify_verdict){.property = item->property,
                                           .status = item->status,
                                           .reason = item->reason,
                                           .rows = q->v->ast->any ? rows : 0,
                                           .execution = item->execution,
                                           .reach = item->reach,
                                           .fails = item->fails,
                                           .seconds = item->seconds});
}

static void run_size(struct inquiry *q, uint64_t rows)
{
    run_items items = {0};
    const run_items *known = known_items(q, q->deadline), *all = known ? known : &items;
    if (!known)
        run_initial(q, false, q->pool, q->unsettled, &items);
    for (size_t i = 0; i < all->len; i++) {
        const struct run_item *item = &all->data[i];
        bool holds = item->status == VERIFY_HOLDS;
        if ((known && !q->unsettled[item->property]) || !is_verdict(q, item) ||
            (holds && rows < q->max_rows))
            continue;
        if (!holds)
            q->unsettled[item->property] = false;
        add_verdict(q, item, rows);
    }
    vec_free(&items);
}

void inquiry_run_initially(struct inquiry *q)
{
    if (!q->max_rows)
        run_size(q, 0);
    for (uint64_t rows = 1; rows <= q->max_rows && !limit_reached(); rows++) {
        if (inquiry_set_rows(q, rows))
            break; /* the runs to come say so */
        run_size(q, rows);
    }
}
