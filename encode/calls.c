/* The calls of a scenario: which must come after which, and when they are made.
 *
 * Calls are concurrent, but no call can depend on a result that does not exist yet: a call whose
 * arguments or guard use the result of another comes after it.  Code that merely stands between two
 * calls does not order them.
 *
 * An assumption of the scenario only says which executions exist.  A check that fails ends the
 * scenario: a later call that comes after all results that the check used is not made (in
 * particular, no call that would use the undefined value).  Any other later call is concurrent with
 * the calls whose results the check used, and may have been made or not; the check may have failed
 * because it was. */
#include "encode/problem.h"

struct calls {
    struct problem *p;
    const struct sx_summary *s;
    size_t n;
    bool *after;      /* after[j * n + i]: call j comes after call i */
    bool *looked;     /* of one term or more: the calls whose results they use */
    term_id *happens; /* over the scenario's leaves */
};

static void find_result(void *arg, term_id t)
{
    struct calls *c = arg;
    const struct term *term = term_get(c->p->store, t);
    if (term->op != TERM_OP_LEAF)
        return;
    const struct term_leaf *l = &c->p->store->leaves.data[term->arg[0]];
    if (l->kind == TERM_LEAF_RET && l->owner == c->s->id)
        c->looked[l->a] = true;
}

static void look(struct calls *c, const term_id *terms, size_t n)
{
    term_each(c->p->store, terms, n, find_result, c);
}

static void forget(struct calls *c)
{
    for (size_t i = 0; i < c->n; i++)
        c->looked[i] = false;
}

static void comes_after(struct calls *c, size_t j, size_t i)
{
    for (size_t k = 0; k < c->n; k++)
        c->after[j * c->n + k] |= k == i || c->after[i * c->n + k];
}

/* Does session order count for the call? */
static bool counts_session(const struct calls *c, const struct sx_call *call)
{
    const struct sx_program *sx = c->p->sx;
    uint32_t t = 0;
    while (t + 1 < sx->n_txns && sx->txns[t]->func != call->func)
        t++;
    return c->p->session_order && model_counts_sessions(c->p->levels[t]);
}

static void order_call(struct calls *c, uint32_t j)
{
    const struct sx_call *call = &c->s->calls[j];
    bool sessions = counts_session(c, call);
    forget(c);
    look(c, call->args, call->n_args);
    look(c, &call->guard, 1);
    for (uint32_t i = 0; i < j; i++)
        if (c->looked[i] || (sessions && c->s->calls[i].session == call->session))
            comes_after(c, j, i);
    for (uint32_t i = 0; i < j; i++)
        if (c->after[j * c->n + i] &&
            (c->looked[i] || !sessions ||
             c->s->calls[i].session != call->session)) { /* not by session alone */
            vec_push(&c->p->before, i);
            vec_push(&c->p->before, j);
        }
}

/* Somebody may have made the call although a check failed; then also those that it comes after. */
static term_id may_happen(struct calls *c, size_t j)
{
    struct term_store *store = c->p->store;
    struct term_leaf leaf = {.kind = TERM_LEAF_FREE,
                             .owner = c->p->owner++,
                             .a = (uint32_t)j,
                             .bits = 1,
                             .lo = 0,
                             .hi = 1,
                             .name = arena_printf(&store->arena, "call %zu all the same", j + 1)};
    term_id may = term_truth(store, term_leaf(store, leaf));
    for (size_t i = 0; i < c->n; i++)
        if (c->after[j * c->n + i])
            may = term_and(store, may, term_implies(store, c->s->calls[i].guard, c->happens[i]));
    return may;
}

/* Does the check look at a result that the call need not wait for? */
static bool concurrent(struct calls *c, const struct sx_point *check, size_t j)
{
    term_id terms[2] = {check->guard, check->cond};
    forget(c);
    look(c, terms, 2);
    for (size_t i = 0; i < c->n; i++)
        if (c->looked[i] && !c->after[j * c->n + i])
            return true;
    return false;
}

static term_id happens(struct calls *c, size_t j)
{
    struct term_store *store = c->p->store;
    const struct sx_call *call = &c->s->calls[j];
    term_id h = call->guard, may = TERM_NONE;
    for (size_t i = 0; i < call->n_points; i++) {
        const struct sx_point *q = &c->s->points[i];
        if (q->kind == SX_ASSUME || !sx_point_stops(q->kind))
            continue;
        term_id passed = term_implies(store, q->guard, q->cond);
        if (concurrent(c, q, j)) {
            may = may == TERM_NONE ? may_happen(c, j) : may;
            passed = term_or(store, passed, may);
        }
        h = term_and(store, h, passed);
    }
    return h;
}

const term_id *prob_calls(struct problem *p)
{
    size_t n = p->scenario->n_calls;
    struct calls c = {.p = p, .s = p->scenario, .n = n};
    c.after = arena_array(&p->arena, bool, n *n + 1);
    c.looked = arena_array(&p->arena, bool, n + 1);
    c.happens = arena_array(&p->arena, term_id, n + 1);
    for (uint32_t j = 0; j < n; j++)
        order_call(&c, j);
    for (size_t j = 0; j < n; j++)
        c.happens[j] = happens(&c, j);
    return c.happens;
}
