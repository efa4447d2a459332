/* Interchangeable transactions of a scenario.
 *
 * Two calls are interchangeable if exchanging them maps executions to executions: the same
 * transaction at the same level, each alone in its session, run unconditionally, results unused,
 * and arguments that are equal terms or *private* inputs (a nondet value of the scenario that
 * occurs in this argument and nowhere else).  Then any execution can be renamed so that the earlier
 * call of the two also comes earlier in ar, and the encoders may fix that.  Properties do not mind:
 * a predicate looks at states only, and an assertion or check counts wherever it fires.
 *
 * Anything less regular is not symmetric: a wrong pair would hide violations. */
#include "encode/problem.h"

struct uses {
    const struct problem *p;
    struct map count; /* leaf index → occurrences, counted once per root term */
};

static void count_leaf(void *arg, term_id t)
{
    struct uses *u = arg;
    const struct term *term = term_get(u->p->store, t);
    if (term->op == TERM_OP_LEAF)
        ++*map_put(&u->count, term->arg[0], 0, NULL);
}

static void count_in(struct uses *u, term_id t)
{
    if (t != TERM_NONE)
        term_each(u->p->store, &t, 1, count_leaf, u);
}

static void count_uses(struct uses *u, const struct sx_summary *s)
{
    for (size_t c = 0; c < s->n_calls; c++) {
        for (uint32_t a = 0; a < s->calls[c].n_args; a++)
            count_in(u, s->calls[c].args[a]);
        count_in(u, s->calls[c].guard);
        count_in(u, s->calls[c].before);
    }
    for (size_t i = 0; i < s->n_points; i++) {
        count_in(u, s->points[i].guard);
        count_in(u, s->points[i].cond);
        count_in(u, s->points[i].before);
    }
    for (size_t i = 0; i < s->n_inputs; i++)
        count_in(u, s->inputs[i].guard);
    count_in(u, s->exists);
}

/* An input of the scenario that occurs once: this very argument. */
static bool is_private(const struct uses *u, const struct sx_summary *s, term_id arg)
{
    const struct term *t = term_get(u->p->store, arg);
    if (t->op != TERM_OP_LEAF)
        return false;
    const struct term_leaf *l = &u->p->store->leaves.data[t->arg[0]];
    uint64_t *n = map_get(&u->count, t->arg[0]);
    return l->owner == s->id && l->kind != TERM_LEAF_RET && n && *n == 1;
}

static bool results_unused(const struct uses *u, const struct sx_call *c)
{
    for (uint32_t i = 0; i < c->n_ret; i++)
        if (c->ret[i] != TERM_NONE && map_get(&u->count, term_get(u->p->store, c->ret[i])->arg[0]))
            return false;
    return true;
}

static bool alone(const struct sx_summary *s, const struct sx_call *c)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_calls; i++)
        n += s->calls[i].session == c->session;
    return n == 1;
}

static bool eligible(const struct uses *u, const struct sx_summary *s, const struct sx_call *c)
{
    return c->guard == TERM_TRUE && c->before == TERM_TRUE && alone(s, c) && results_unused(u, c);
}

static bool alike(const struct uses *u, const struct sx_summary *s, const struct sx_call *a,
                  const struct sx_call *b)
{
    if (a->func != b->func || a->n_args != b->n_args)
        return false;
    for (uint32_t i = 0; i < a->n_args; i++) {
        if (a->args[i] == b->args[i])
            continue;
        if (!is_private(u, s, a->args[i]) || !is_private(u, s, b->args[i]))
            return false;
        const struct term *x = term_get(u->p->store, a->args[i]);
        const struct term *y = term_get(u->p->store, b->args[i]);
        if (x->lo != y->lo || x->hi != y->hi)
            return false;
    }
    return true;
}

/* "Alike" is an equivalence, so linking each call to the next one like it orders a whole class. */
void prob_find_symmetry(struct problem *p)
{
    const struct sx_summary *s = p->scenario;
    struct uses u = {.p = p};
    count_uses(&u, s);
    for (uint32_t i = 0; i < s->n_calls; i++) {
        if (!eligible(&u, s, &s->calls[i]))
            continue;
        for (uint32_t j = i + 1; j < s->n_calls; j++)
            if (eligible(&u, s, &s->calls[j]) && alike(&u, s, &s->calls[i], &s->calls[j])) {
                vec_push(&p->symmetric, i);
                vec_push(&p->symmetric, j);
                break;
            }
    }
    map_free(&u.count);
}
