/* Concrete runs on large dimensions of which a part is shown: alike.c says what that means. */
#include "symexec/fold_shape.h"
#include "symexec/interp_internal.h"
#include "symexec/summary.h"

bool in_is_shown(const struct interp *in, uint64_t size)
{
    return in->options->shown && sx_is_large(in->program, size);
}

static void require(struct interp *in, bool holds, struct src_loc loc)
{
    if (!holds)
        in_stop(in, INTERP_NOT_ASSUMED, INTERP_NOTHING, loc);
}

void in_shown_row(struct interp *in, uint64_t size, ast_int i, struct src_loc loc)
{
    require(in, !in_is_shown(in, size) || i <= (ast_int)in->options->shown, loc);
}

void in_shown_write(struct interp *in, const struct in_place *p, struct src_loc loc)
{
    if (in->in_initial && in->rest.len)
        return;
    for (uint32_t d = 0; d < p->n_index; d++)
        require(in, !in_is_shown(in, p->var->dims[d]) || p->index[d] < in->options->shown, loc);
}

static bool is_rest(const struct interp *in, const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_INT)
        e = e->a;
    for (size_t i = 0; e->kind == AST_LOAD && e->a->kind == AST_VAR && i < in->rest.len; i++)
        if (in->rest.data[i] == e->a->var)
            return true;
    return false;
}

void in_shown_compare(struct interp *in, const struct ast_expr *e, ast_int a, ast_int b)
{
    if (in->rest.len == 0 || (e->op != C_EQ && e->op != C_NE) ||
        is_rest(in, e->a) == is_rest(in, e->b))
        return;
    require(in, (is_rest(in, e->a) ? b : a) < (ast_int)in->options->shown, e->loc);
}

/* ---- rounds -------------------------------------------------------------------------------- */

static struct in_cell *variable(struct interp *in, const struct ast_var *v)
{
    return &in->stack.data[in->frame->base[v->id]];
}

static enum in_flow one_round(struct interp *in, const struct ast_stmt *s, uint64_t context,
                              ast_int i)
{
    in_step(in, s->loc);
    variable(in, s->fold->index)->i = i;
    in->context = sx_context_key(context, SX_CONTEXT_ITERATION, s->id, (uint64_t)i);
    enum in_flow f = in_exec(in, s->body);
    return f == IN_CONTINUE ? IN_NEXT : f;
}

/* The round of all rows that are not shown: what it adds is added for each of them. */
static enum in_flow last_round(struct interp *in, const struct ast_stmt *s, uint64_t context)
{
    struct sx_fold_shape f = sx_fold_shape(s, in->arena);
    ast_int *before = arena_array(in->arena, ast_int, f.n_carried + 1);
    ast_int times = (ast_int)s->fold->size - (ast_int)in->options->shown;
    for (uint32_t k = 0; k < f.n_carried; k++)
        before[k] = variable(in, f.carried[k].var)->i;
    vec_push(&in->rest, s->fold->index);
    enum in_flow flow = one_round(in, s, context, (ast_int)in->options->shown);
    in->rest.len--;
    for (uint32_t k = 0; k < f.n_carried && flow == IN_NEXT; k++) {
        struct in_cell *v = variable(in, f.carried[k].var);
        if (f.carried[k].shape == SX_SHAPE_SUM)
            v->i = in_sum(in, f.carried[k].var->type, before[k] + (v->i - before[k]) * times,
                          s->expr->loc);
    }
    return flow;
}

enum in_flow in_shown_rounds(struct interp *in, const struct ast_stmt *s)
{
    uint64_t context = in->context;
    const struct ast_expr *lo = s->fold->lo;
    enum in_flow f = IN_NEXT;
    while (lo->kind == AST_CAST)
        lo = lo->a;
    for (ast_int i = lo->value; i < (ast_int)in->options->shown && f == IN_NEXT; i++)
        f = one_round(in, s, context, i);
    if (f == IN_NEXT)
        f = last_round(in, s, context);
    in->context = context;
    return f == IN_BREAK ? IN_NEXT : f;
}
