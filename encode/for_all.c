/* A predicate for all values of its parameters, as conditions without them.
 *
 * A violated property needs one value, and a solver finds it.  An assumption is about all of them:
 *   - a parameter that is an index has few values: one copy of the predicate for each;
 *   - any other one ranges over its type.  If it occurs only in comparisons p = t and p ≤ t, with
 *     terms t that do not mention it, then these cut the type into points and intervals on which
 *     the predicate does not change.  Every one of them contains the least value of the type, some
 *     t, or some t + 1: the predicate holds for all values if it holds for these.
 * Both are exact.  A parameter that is used in another way (multiplied, converted to another type,
 * part of an index) cannot be eliminated so, and whoever asks is told. */
#include "encode/problem.h"

#include <assert.h>
#include <string.h>

#define VALUES_MAX 4096u /* of all parameters that are indices, together */
#define BORDERS_MAX 64u  /* terms that a parameter is compared with */

/* ---- typed parameters ---------------------------------------------------------------------- */

struct elimination {
    struct problem *p;
    term_id leaf;
    VEC(term_id) borders; /* what it is compared with */
    struct map contains;  /* term → 1: the leaf is in it; 2: it is not */
    struct map visited;
    bool failed;
};

static bool contains(struct elimination *x, term_id t)
{
    uint64_t *known = map_get(&x->contains, t);
    if (known)
        return *known == 1;
    const struct term n = *term_get(x->p->store, t);
    bool in = t == x->leaf;
    for (int i = 0; i < term_arity(&n) && !in; i++)
        in = contains(x, n.arg[i]);
    map_put(&x->contains, t, in ? 1 : 2, NULL);
    return in;
}

/* One side of a comparison as coefficient · leaf + rest. */
struct linear {
    term_int coefficient;
    term_id rest;
};

static void visit(struct elimination *x, term_id t);

static struct linear split(struct elimination *x, term_id t)
{
    struct term_store *s = x->p->store;
    const struct term n = *term_get(s, t);
    if (t == x->leaf)
        return (struct linear){1, term_const(s, 0)};
    if (n.op == TERM_OP_FIT && contains(x, t))
        return split(x, n.arg[0]);
    if (n.op == TERM_OP_ADD && contains(x, t)) {
        struct linear a = split(x, n.arg[0]), b = split(x, n.arg[1]);
        return (struct linear){a.coefficient + b.coefficient, term_add(s, a.rest, b.rest)};
    }
    if (n.op == TERM_OP_MUL && contains(x, t) && term_is_const(s, n.arg[1])) {
        struct linear a = split(x, n.arg[0]);
        term_int k = term_get(s, n.arg[1])->lo;
        bool small = k >= -1 && k <= 1;
        if (small || a.coefficient == 0)
            return (struct linear){small ? a.coefficient * k : 0, term_mul(s, a.rest, n.arg[1])};
        x->failed = true;
    }
    return (struct linear){0, t};
}

/* leaf ⋈ border, or a comparison of terms that mention the leaf in conditions only. */
static void visit_atom(struct elimination *x, const struct term *n)
{
    struct term_store *s = x->p->store;
    struct linear a = split(x, n->arg[0]), b = split(x, n->arg[1]);
    term_int k = a.coefficient - b.coefficient;
    if (k == 0 && a.coefficient == 0) {
        visit(x, n->arg[0]);
        visit(x, n->arg[1]);
        return;
    }
    term_id border = k == 1 ? term_sub(s, b.rest, a.rest) : term_sub(s, a.rest, b.rest);
    if ((k != 1 && k != -1) || contains(x, border) || x->borders.len >= BORDERS_MAX) {
        x->failed = true;
        return;
    }
    for (size_t i = 0; i < x->borders.len; i++)
        if (x->borders.data[i] == border)
            return;
    vec_push(&x->borders, border);
}

static void visit(struct elimination *x, term_id t)
{
    bool is_new;
    if (!contains(x, t) || x->failed)
        return;
    map_put(&x->visited, t, 1, &is_new);
    if (!is_new)
        return;
    const struct term n = *term_get(x->p->store, t);
    if (n.op == TERM_OP_EQ || n.op == TERM_OP_LE) {
        visit_atom(x, &n);
        return;
    }
    if (t == x->leaf) /* its value is used, not just compared */
        x->failed = true;
    for (int i = 0; i < term_arity(&n); i++)
        visit(x, n.arg[i]);
}

struct replacement {
    uint32_t leaf;
    term_id by;
};

static term_id replaced(void *arg, uint32_t leaf)
{
    const struct replacement *r = arg;
    return r->leaf == leaf ? r->by : TERM_NONE;
}

/* condition with `by` for the leaf, where that is a value of it. */
static term_id at(struct elimination *x, term_id condition, term_id by)
{
    struct term_store *s = x->p->store;
    const struct term leaf = *term_get(s, x->leaf);
    struct replacement r = {leaf.arg[0], by};
    struct term_subst subst = {.store = s, .fn = replaced, .arg = &r};
    term_id value = term_substitute(&subst, condition);
    term_subst_free(&subst);
    return term_implies(s, term_in_range(s, by, leaf.lo, leaf.hi), value);
}

/* condition for all values of the leaf, or TERM_NONE. */
static term_id eliminate(struct problem *p, term_id condition, term_id leaf)
{
    struct elimination x = {.p = p, .leaf = leaf};
    struct term_store *s = p->store;
    visit(&x, condition);
    term_id all = condition;
    if (!x.failed && contains(&x, condition)) {
        all = at(&x, condition, term_const(s, term_get(s, leaf)->lo));
        for (size_t i = 0; i < x.borders.len; i++) {
            term_id border = x.borders.data[i];
            all = term_and(s, all, at(&x, condition, border));
            all = term_and(s, all, at(&x, condition, term_add(s, border, term_const(s, 1))));
        }
    }
    bool failed = x.failed;
    vec_free(&x.borders);
    map_free(&x.contains);
    map_free(&x.visited);
    return failed ? TERM_NONE : all;
}

/* Which rows are read must not depend on it: a read has one row. */
static bool in_rows(struct problem *p, const struct prob_predicate *pred, term_id leaf)
{
    struct elimination x = {.p = p, .leaf = leaf};
    bool in = false;
    for (size_t r = 0; r < pred->reads.len; r++) {
        const struct prob_row *row = &pred->reads.data[r].row;
        for (uint32_t d = 0; d < p->sx->tables[row->table].n_dims; d++)
            in |= contains(&x, row->index[d]);
    }
    map_free(&x.contains);
    return in;
}

/* ---- all parameters ------------------------------------------------------------------------ */

/* What the user can do about it.  The state of a constraint is not the initial one alone. */
static const char *advice(const struct sx_summary *sum)
{
    return sum->func->role == AST_CONSTRAINT ? "" : ": add an INITIAL to start from";
}

static const char *cannot(struct problem *p, const struct sx_summary *sum, size_t parameter)
{
    return arena_printf(&p->arena,
                        "which states satisfy %s for every %s cannot be said, as %s is not just "
                        "compared there%s",
                        sum->func->name, sum->inputs[parameter].name, sum->inputs[parameter].name,
                        advice(sum));
}

static const char *add_one(struct problem *p, const struct sx_summary *sum, const term_id *args,
                           prob_for_alls *out)
{
    struct prob_for_all f = {.pred = prob_predicate_of(p, sum, model_get(MODEL_SER), args)};
    f.holds = term_and(p->store, f.pred->holds, f.pred->defined);
    for (size_t i = 0; i < sum->n_params; i++) {
        if (args[i] != TERM_NONE)
            continue;
        term_id leaf = f.pred->inputs[i].value;
        f.holds = in_rows(p, f.pred, leaf) ? TERM_NONE : eliminate(p, f.holds, leaf);
        if (f.holds == TERM_NONE)
            return cannot(p, sum, i);
    }
    vec_push(out, f);
    return NULL;
}

const char *prob_for_all(struct problem *p, const struct sx_summary *sum, prob_for_alls *out)
{
    uint64_t n = 1;
    for (size_t i = 0; i < sum->n_params; i++) {
        uint64_t values = prob_ranges(p->sx, sum, i);
        n *= values ? values : 1;
        if (n > VALUES_MAX)
            return arena_printf(&p->arena,
                                "%s is about too many combinations of rows to say which states "
                                "satisfy it%s",
                                sum->func->name, advice(sum));
    }
    term_id *args = arena_array(&p->arena, term_id, sum->n_params + 1);
    const char *error = NULL;
    for (uint64_t k = 0; k < n && !error; k++) {
        uint64_t rest = k;
        for (size_t i = 0; i < sum->n_params; i++) {
            uint64_t values = prob_ranges(p->sx, sum, i);
            args[i] = values ? term_const(p->store, (term_int)(rest % values)) : TERM_NONE;
            rest /= values ? values : 1;
        }
        error = add_one(p, sum, args, out);
    }
    return error;
}
