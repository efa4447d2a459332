/* Does the program's initial state satisfy the properties?
 *
 * The answer is the same for all models, so the first question finds it out for all, in a solver
 * context of its own: the contexts of the questions then do not depend on which of them that was.
 * If something is violated, or if the solver does not know, each question looks for itself: its
 * verdict needs an execution. */
#include <string.h>

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
    struct executed *x = q->v->shared;
    enum sx_reads kind = q->sx->options.reads;
    if (q->q->dump_smt2) /* the formula is wanted */
        return NULL;
    pthread_mutex_lock(&x->lock);
    if (x->initial[kind] == INITIAL_NOT_ASKED)
        x->initial[kind] = ask(q, deadline, &x->initial_items[kind]);
    bool holds = x->initial[kind] == INITIAL_HOLDS;
    pthread_mutex_unlock(&x->lock);
    return holds ? &x->initial_items[kind] : NULL;
}

void inquiry_find_base(struct inquiry *q, double deadline, bool *base)
{
    size_t n = q->sx->n_invariants;
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
           (q->props->v.data[item->property].kind != VERIFY_INVARIANT &&
            properties_in(q->props, item->property, q->sx->initial));
}

void inquiry_run_initially(struct inquiry *q)
{
    run_items items = {0}, verdicts = {0};
    const run_items *known = known_items(q, q->deadline), *all = known ? known : &items;
    if (!known)
        run_initial(q, false, q->pool, q->unsettled, &items);
    for (size_t i = 0; i < all->len; i++) {
        const struct run_item *item = &all->data[i];
        if ((known && !q->unsettled[item->property]) || !is_verdict(q, item))
            continue;
        if (item->status != VERIFY_HOLDS)
            q->unsettled[item->property] = false;
        vec_push(&verdicts, *item);
    }
    inquiry_take(q, &verdicts, NULL, 0, false);
    vec_free(&items);
    vec_free(&verdicts);
}
