/* Folds over large dimensions of which a part is shown: alike.c says what that means. */
#include "symexec/exec.h"
#include "symexec/fold_shape.h"

bool sx_is_shown(const struct sx_exec *x, uint64_t size)
{
    return x->program->options.shown && sx_is_large(x->ast, size);
}

static term_int first_hidden(const struct sx_exec *x)
{
    return (term_int)x->program->options.shown;
}

void sx_shown_row(struct sx_exec *x, uint64_t size, term_id i, struct src_loc loc)
{
    if (sx_is_shown(x, size))
        sx_require(x, SX_ASSUME, term_le(x->store, i, term_const(x->store, first_hidden(x))), loc,
                   "a row that is shown");
}

/* INITIAL sets the rows that are not shown, in rounds that stand for them. */
void sx_shown_write(struct sx_exec *x, const struct sx_target *t, term_id cond, struct src_loc loc)
{
    if (x->role == AST_INITIAL && x->rest.len)
        return;
    for (uint32_t d = 0; d < t->n_index; d++)
        if (sx_is_shown(x, t->var->dims[d]))
            sx_require(
                x, SX_ASSUME,
                term_implies(x->store, cond,
                             term_lt(x->store, t->index[d], term_const(x->store, first_hidden(x)))),
                loc, "a row that is shown");
}

/* ---- rounds -------------------------------------------------------------------------------- */

static bool is_rest(const struct sx_exec *x, const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_INT)
        e = e->a;
    for (size_t i = 0; e->kind == AST_LOAD && e->a->kind == AST_VAR && i < x->rest.len; i++)
        if (x->rest.data[i] == e->a->var)
            return true;
    return false;
}

void sx_shown_compare(struct sx_exec *x, const struct ast_expr *e, term_id a, term_id b)
{
    if (x->rest.len == 0 || (e->op != C_EQ && e->op != C_NE) ||
        is_rest(x, e->a) == is_rest(x, e->b))
        return;
    term_id other = is_rest(x, e->a) ? b : a;
    term_id hidden = term_le(x->store, term_const(x->store, first_hidden(x)), other);
    sx_require(x, SX_ASSUME, term_not(x->store, hidden), e->loc, "no row that is not shown");
}

static void set_index(struct sx_exec *x, const struct ast_stmt *s, term_int i)
{
    env_set(&x->pool, &x->st.locals, x->frame->base[s->fold->index->id], term_const(x->store, i));
}

/* The values of the variables that the loop adds to, by number of the variable in its shape. */
static term_id *sums(struct sx_exec *x, const struct sx_fold_shape *f)
{
    term_id *v = arena_array(&x->scratch, term_id, f->n_carried + 1);
    for (uint32_t k = 0; k < f->n_carried; k++)
        if (f->carried[k].shape == SX_SHAPE_SUM)
            v[k] = env_get(&x->pool, x->st.locals, x->frame->base[f->carried[k].var->id]);
    return v;
}

/* What was added once is added `times`. */
static void add_again(struct sx_exec *x, const struct ast_stmt *s, const struct sx_fold_shape *f,
                      const term_id *before, term_int times)
{
    term_id *after = sums(x, f);
    for (uint32_t k = 0; k < f->n_carried && !sx_stopped(x); k++) {
        const struct ast_var *var = f->carried[k].var;
        if (f->carried[k].shape != SX_SHAPE_SUM)
            continue;
        term_id once = term_sub(x->store, after[k], before[k]);
        term_id all = term_mul(x->store, once, term_const(x->store, times));
        term_id sum = sx_sum(x, s->expr, var->type, term_add(x->store, before[k], all));
        env_set(&x->pool, &x->st.locals, x->frame->base[var->id], sum);
    }
}

static void one_round(struct sx_exec *x, const struct ast_stmt *s, uint64_t context, term_int i)
{
    set_index(x, s, i);
    x->context = sx_context_key(context, SX_CONTEXT_ITERATION, s->id, (uint64_t)i);
    sx_loop_body(x, s);
}

void sx_shown_rounds(struct sx_exec *x, const struct ast_stmt *s)
{
    uint64_t context = x->context;
    const struct ast_expr *lo = s->fold->lo;
    while (lo->kind == AST_CAST)
        lo = lo->a;
    term_int rest = first_hidden(x);
    for (term_int i = lo->value; i < rest && !sx_stopped(x); i++)
        one_round(x, s, context, i);
    if (!sx_stopped(x)) {
        struct sx_fold_shape shape = sx_fold_shape(s, &x->scratch);
        term_id *before = sums(x, &shape);
        vec_push(&x->rest, s->fold->index);
        one_round(x, s, context, rest);
        x->rest.len--;
        if (!sx_stopped(x))
            add_again(x, s, &shape, before, (term_int)s->fold->size - rest);
    }
    x->context = context;
}
