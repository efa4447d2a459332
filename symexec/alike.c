/* Large dimensions: of a table with a million rows bounded runs show a few.
 *
 * A transaction names a handful of rows; all others are as INITIAL left them, and it leaves them
 * alike if it sets them in a fold that does the same to each.  So a run is made on rows 0, 1, …
 * K - 1, which transactions may write, and row K, which no transaction writes and which stands for
 * itself and all rows behind it.  A fold has K + 1 rounds: those of the first rows, and one of row
 * K, whose effect is that of D - K rounds.  For sums that is D - K times the addition; for flags,
 * least and greatest values, and first matches one round is enough.
 *
 * An execution of such a run is one of the whole table.  The reverse is not so: executions that
 * write rows behind K, or look at them, are left out.  So a violation counts, and nothing else does
 * (growth.c).
 *
 * A dimension can be shown in part if every loop over it is a fold with a constant start whose
 * rounds are *alike* on rows of equal values: the body uses the index to name rows of that
 * dimension, compares it with values for equality (which are then assumed not to be rows behind
 * K), and hands it out as what was found.  Tables with initialisers are shown whole. */
#include "base/vec.h"
#include "symexec/summary.h"

/* Smaller dimensions are shown whole. */
#define LARGE 40
/* No more rows are shown than that. */
#define SHOWN_MAX 8

struct survey {
    struct ast_program *p;
    VEC(const struct ast_var *) indices; /* of folds */
    VEC(uint64_t) large, spoilt;         /* sizes; spoilt: of a loop that is not alike */
    uint64_t least;
};

/* Without conversions that keep the value of every index. */
static const struct ast_expr *stripped(const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_INT && e->a->type->kind == AST_INT &&
           (e->type->width >= 32 || e->type->width >= e->a->type->width))
        e = e->a;
    return e;
}

/* ---- walks --------------------------------------------------------------------------------- */

typedef void (*expr_fn)(void *arg, const struct ast_expr *e);

static void each_part(const struct ast_expr *e, expr_fn fn, void *arg)
{
    const struct ast_expr *const parts[] = {e->a, e->b, e->c};
    for (size_t i = 0; i < 3; i++)
        if (parts[i])
            fn(arg, parts[i]);
    for (uint64_t i = 0; i < e->n_args; i++)
        fn(arg, e->args[i]);
}

typedef void (*stmt_fn)(void *arg, const struct ast_stmt *s);

static void each_inner(const struct ast_stmt *s, stmt_fn fn, void *arg)
{
    const struct ast_stmt *const inner[] = {s->init, s->body, s->other};
    for (size_t i = 0; i < 3; i++)
        if (inner[i])
            fn(arg, inner[i]);
    for (uint32_t i = 0; i < s->n_items; i++)
        fn(arg, s->items[i]);
}

struct each_expr {
    expr_fn fn;
    void *arg;
};

/* Calls fn for the expressions of all statements below, outermost expressions only. */
static void each_expr(void *arg, const struct ast_stmt *s)
{
    struct each_expr *x = arg;
    if (s->expr)
        x->fn(x->arg, s->expr);
    if (s->step)
        x->fn(x->arg, s->step);
    each_inner(s, each_expr, x);
}

/* ---- is a body alike on rows of equal values? ---------------------------------------------- */

struct uses {
    const struct survey *survey;
    const struct ast_var *v;
    uint64_t size;
    unsigned depth; /* of helpers that v was handed to */
    bool alike;
};

static void look_at_stmt(void *arg, const struct ast_stmt *s);

static bool is_itself(const struct uses *u, const struct ast_expr *e)
{
    e = stripped(e);
    return e->kind == AST_LOAD && e->a->kind == AST_VAR && e->a->var == u->v;
}

/* t[i] in a dimension of that size. */
static bool names_row(const struct uses *u, const struct ast_expr *e)
{
    const struct ast_expr *base = e->a;
    while (base->kind == AST_INDEX)
        base = base->a;
    return is_itself(u, e->b) && base->kind == AST_VAR && base->var->kind == AST_VAR_DATABASE &&
           e->a->type->count == u->size;
}

struct round {
    const struct survey *survey;
    bool depends;
};

static void find_fold_index(void *arg, const struct ast_expr *e)
{
    struct round *r = arg;
    for (size_t i = 0; e->kind == AST_VAR && i < r->survey->indices.len; i++)
        r->depends |= e->var == r->survey->indices.data[i];
    each_part(e, find_fold_index, r);
}

/* i == e, where e does not mention the index of any fold. */
static bool is_compared(const struct uses *u, const struct ast_expr *e)
{
    bool left = is_itself(u, e->a), right = is_itself(u, e->b);
    struct round r = {.survey = u->survey};
    if (u->depth || (e->op != C_EQ && e->op != C_NE) || left == right)
        return false;
    find_fold_index(&r, left ? e->b : e->a);
    return !r.depends;
}

static void look_at(void *arg, const struct ast_expr *e);

static void hand_on(struct uses *u, const struct ast_func *callee, const struct ast_var *param)
{
    struct uses inner = *u;
    inner.v = param;
    inner.depth++;
    if (callee->recursive || inner.depth > 20)
        inner.alike = false;
    else
        look_at_stmt(&inner, callee->body);
    u->alike = inner.alike;
}

static void look_at_call(struct uses *u, const struct ast_expr *e)
{
    for (uint64_t i = 0; i < e->n_args && u->alike; i++)
        if (is_itself(u, e->args[i]))
            hand_on(u, e->callee, e->callee->params[i]);
        else
            look_at(u, e->args[i]);
}

/* Every mention of the variable that is not one of these spoils it: also assignments to a parameter
 * of a helper, whose place is the variable. */
static void look_at(void *arg, const struct ast_expr *e)
{
    struct uses *u = arg;
    if (!u->alike)
        return;
    switch (e->kind) {
    case AST_VAR:
        u->alike = e->var != u->v;
        return;
    case AST_INDEX:
        look_at(u, e->a);
        if (!names_row(u, e))
            look_at(u, e->b);
        return;
    case AST_BINARY:
        if (is_compared(u, e))
            look_at(u, is_itself(u, e->a) ? e->b : e->a);
        else
            each_part(e, look_at, u);
        return;
    case AST_ASSIGN: /* what was found: the shapes of folds allow nothing else */
        look_at(u, e->a);
        if (u->depth || !is_itself(u, e->b))
            look_at(u, e->b);
        return;
    case AST_CALL:
        look_at_call(u, e);
        return;
    default:
        each_part(e, look_at, u);
    }
}

static void look_at_stmt(void *arg, const struct ast_stmt *s)
{
    struct uses *u = arg;
    bool found = s->kind == AST_STMT_RETURN && s->expr && !u->depth && is_itself(u, s->expr);
    if (s->expr && !found)
        look_at(u, s->expr);
    if (s->step)
        look_at(u, s->step);
    each_inner(s, look_at_stmt, u);
}

/* ---- all loops and indices of a program ---------------------------------------------------- */

static bool is_in(const uint64_t *v, size_t n, uint64_t size)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == size)
            return true;
    return false;
}

static void find_indices(void *arg, const struct ast_stmt *t)
{
    struct survey *s = arg;
    if (t->kind == AST_STMT_FOR && t->fold)
        vec_push(&s->indices, t->fold->index);
    each_inner(t, find_indices, s);
}

static void survey_loop(struct survey *s, const struct ast_stmt *t)
{
    struct ast_fold *f = t->fold;
    const struct ast_expr *lo = stripped(f->lo);
    bool fits = !f->refuted && lo->kind == AST_CONST && lo->value >= 0;
    struct uses u = {.survey = s, .v = f->index, .size = f->size, .alike = fits};
    if (fits)
        look_at_stmt(&u, t->body);
    if (!is_in(s->large.data, s->large.len, f->size))
        vec_push(&s->large, f->size);
    if (!u.alike)
        vec_push(&s->spoilt, f->size);
    else if ((uint64_t)lo->value > s->least)
        s->least = (uint64_t)lo->value;
}

static void survey_loops(void *arg, const struct ast_stmt *t)
{
    if (t->kind == AST_STMT_FOR && t->fold && t->fold->size != AST_ANY_ROWS &&
        t->fold->size > LARGE)
        survey_loop(arg, t);
    each_inner(t, survey_loops, arg);
}

/* Rows that are named by constants are shown. */
static void survey_index(void *arg, const struct ast_expr *e)
{
    struct survey *s = arg;
    const struct ast_expr *c = e->kind == AST_INDEX ? stripped(e->b) : NULL;
    if (c && c->kind == AST_CONST && c->value >= (ast_int)s->least &&
        c->value < (ast_int)e->a->type->count &&
        is_in(s->large.data, s->large.len, e->a->type->count))
        s->least = (uint64_t)c->value + 1;
    each_part(e, survey_index, s);
}

static void spoil_initialised(struct survey *s)
{
    for (uint32_t i = 0; i < s->p->n_tables; i++)
        for (uint32_t d = 0; s->p->tables[i]->init && d < s->p->tables[i]->n_dims; d++)
            vec_push(&s->spoilt, s->p->tables[i]->dims[d]);
}

void sx_find_large(struct ast_program *p)
{
    struct survey s = {.p = p};
    struct each_expr indices = {survey_index, &s};
    for (uint32_t i = 0; i < p->n_funcs; i++)
        find_indices(&s, p->funcs[i]->body);
    for (uint32_t i = 0; i < p->n_funcs; i++)
        survey_loops(&s, p->funcs[i]->body);
    for (uint32_t i = 0; i < p->n_funcs; i++)
        each_expr(&indices, p->funcs[i]->body);
    spoil_initialised(&s);
    p->large = arena_array(&p->arena, uint64_t, s.large.len + 1);
    p->n_large = 0;
    for (size_t i = 0; i < s.large.len && s.least <= SHOWN_MAX; i++)
        if (!is_in(s.spoilt.data, s.spoilt.len, s.large.data[i]))
            p->large[p->n_large++] = s.large.data[i];
    p->least_shown = s.least;
    vec_free(&s.indices);
    vec_free(&s.large);
    vec_free(&s.spoilt);
}

bool sx_is_large(const struct ast_program *p, uint64_t size)
{
    return is_in(p->large, p->n_large, size);
}
