/* Evaluation, substitution and traversal.
 *
 * Terms can be very deep (a loop unrolled a hundred thousand times), so nothing here recurses: an
 * explicit stack holds the terms whose arguments are not done yet. */
#include <assert.h>

#include "symexec/term_internal.h"

typedef VEC(term_id) term_stack;

/* ---- evaluation ---------------------------------------------------------------------------- */

static bool is_known(const struct term_evaluator *e, term_id t)
{
    return e->known.data[t] == e->generation + 1;
}

/* Push the arguments of t that have no value yet; true if there are none. */
static bool ready(const struct term_evaluator *e, const struct term *t, term_stack *stack)
{
    bool all = true;
    for (int i = 0; i < term_arity(t); i++) {
        if (!is_known(e, t->arg[i])) {
            vec_push(stack, t->arg[i]);
            all = false;
        }
    }
    return all;
}

static void grow(struct term_evaluator *e)
{
    if (e->known.len < e->store->terms.len) {
        vec_resize(&e->value, e->store->terms.len);
        vec_resize(&e->known, e->store->terms.len);
    }
}

/* The value of a term whose arguments have values.  A leaf's callback may evaluate other terms, and
 * so move the arrays. */
static term_int compute(struct term_evaluator *e, const struct term *t)
{
    if (t->op == TERM_OP_LEAF)
        return e->leaf(e->arg, t->arg[0]);
    term_int v[3] = {0};
    for (int i = 0; i < term_arity(t); i++)
        v[i] = e->value.data[t->arg[i]];
    return term_apply(t, v);
}

term_int term_eval(struct term_evaluator *e, term_id root)
{
    term_stack stack = {0};
    grow(e);
    vec_push(&stack, root);
    while (stack.len > 0) {
        term_id id = vec_last(&stack);
        if (is_known(e, id)) {
            (void)vec_pop(&stack);
            continue;
        }
        struct term t = *term_get(e->store, id);
        if (!ready(e, &t, &stack))
            continue;
        term_int v = compute(e, &t);
        e->value.data[id] = v;
        e->known.data[id] = e->generation + 1;
        (void)vec_pop(&stack);
    }
    vec_free(&stack);
    return e->value.data[root];
}

void term_evaluator_reset(struct term_evaluator *e)
{
    if (++e->generation < UINT32_MAX)
        return;
    e->generation = 0;
    if (e->known.len > 0)
        memset(e->known.data, 0, e->known.len * sizeof *e->known.data);
}

void term_evaluator_free(struct term_evaluator *e)
{
    vec_free(&e->value);
    vec_free(&e->known);
}

/* ---- substitution -------------------------------------------------------------------------- */

static bool replaced(struct term_subst *s, const struct term *t, term_stack *stack, term_id out[3])
{
    bool all = true;
    for (int i = 0; i < term_arity(t); i++) {
        uint64_t *done = map_get(&s->done, t->arg[i]);
        if (done) {
            out[i] = (term_id)*done;
        } else {
            vec_push(stack, t->arg[i]);
            all = false;
        }
    }
    return all;
}

static void wrap_operands(struct term_store *s, const struct term *t, term_id arg[3])
{
    bool shift = t->op == TERM_OP_SHL || t->op == TERM_OP_SHR;
    if (!shift && t->op != TERM_OP_BAND && t->op != TERM_OP_BOR && t->op != TERM_OP_BXOR)
        return;
    arg[0] = term_wrap(s, t->bits, t->is_signed, arg[0]);
    if (!shift)
        arg[1] = term_wrap(s, t->bits, t->is_signed, arg[1]);
}

static term_id replace_one(struct term_subst *s, term_id id, const struct term *t, term_id arg[3])
{
    if (t->op == TERM_OP_LEAF) {
        term_id r = s->fn ? s->fn(s->arg, t->arg[0]) : TERM_NONE;
        return r == TERM_NONE ? id : r;
    }
    bool same = true;
    if (s->total && t->op == TERM_OP_FIT)
        return arg[0];
    if (s->total)
        wrap_operands(s->store, t, arg);
    for (int i = 0; i < term_arity(t); i++)
        same &= arg[i] == t->arg[i];
    return same ? id : term_rebuild(s->store, id, arg);
}

term_id term_substitute(struct term_subst *s, term_id root)
{
    term_stack stack = {0};
    vec_push(&stack, root);
    while (stack.len > 0) {
        term_id id = vec_last(&stack), arg[3] = {0};
        struct term t = *term_get(s->store, id);
        if (map_get(&s->done, id)) {
            (void)vec_pop(&stack);
            continue;
        }
        if (!replaced(s, &t, &stack, arg))
            continue;
        term_id r = replace_one(s, id, &t, arg);
        map_put(&s->done, id, r, NULL);
        (void)vec_pop(&stack);
    }
    vec_free(&stack);
    return (term_id)*map_get(&s->done, root);
}

void term_subst_free(struct term_subst *s)
{
    map_free(&s->done);
}

/* ---- traversal ----------------------------------------------------------------------------- */

void term_each(const struct term_store *s, const term_id *roots, size_t n,
               void (*fn)(void *arg, term_id t), void *arg)
{
    /* Mark from the top down, then visit from the bottom up: arguments have smaller indices. */
    term_id top = 0;
    for (size_t i = 0; i < n; i++)
        top = roots[i] > top ? roots[i] : top;
    uint8_t *mark = mem_calloc((size_t)top + 1, 1);
    for (size_t i = 0; i < n; i++)
        mark[roots[i]] = 1;
    term_id low = top;
    for (term_id id = top; id > 0; id--) {
        if (!mark[id])
            continue;
        low = id;
        const struct term *t = term_get(s, id);
        for (int i = 0; i < term_arity(t); i++)
            mark[t->arg[i]] = 1;
    }
    for (term_id id = low; id <= top && id > 0; id++)
        if (mark[id])
            fn(arg, id);
    mem_free(mark);
}

static void count_one(void *arg, term_id t)
{
    (void)t;
    ++*(size_t *)arg;
}

size_t term_dag_size(const struct term_store *s, const term_id *roots, size_t n)
{
    size_t count = 0;
    term_each(s, roots, n, count_one, &count);
    return count;
}
