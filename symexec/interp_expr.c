/* Expressions of a concrete run, left to right. */
#include <assert.h>

#include "symexec/interp_internal.h"

static uint64_t key_of(const struct interp *in, const struct ast_expr *e)
{
    return sx_context_key(in->context, SX_CONTEXT_EXPR, e->id, 0);
}

/* All reads of a fold or an ATOMIC statement are one read. */
static uint64_t access_key(const struct interp *in, const struct ast_expr *e)
{
    return in->folds ? in->statement : key_of(in, e);
}

static uint64_t extent(const struct interp *in, uint64_t count)
{
    return count == AST_ANY_ROWS ? in->options->rows : count;
}

/* ---- places -------------------------------------------------------------------------------- */

static uint32_t field_offset(const struct ast_type *t, uint32_t field)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < field; i++)
        n += in_cells(t->fields[i].type);
    return n;
}

static struct in_place place_of_var(struct interp *in, const struct ast_var *v)
{
    switch (v->kind) {
    case AST_VAR_DATABASE:
        return (struct in_place){.kind = IN_ROW, .var = v};
    case AST_VAR_CONST:
        return (struct in_place){.kind = IN_CONSTANT, .var = v};
    default:
        return (struct in_place){.kind = IN_STACK, .offset = in->frame->base[v->id]};
    }
}

static struct in_place place_of_element(struct interp *in, const struct ast_expr *e)
{
    struct in_place p = in_place_of(in, e->a);
    ast_int i = in_eval(in, e->b);
    uint64_t n = extent(in, e->a->type->count);
    if (i < 0 || i >= (ast_int)n) {
        in->run->operand[0] = i;
        in->run->operand[1] = (ast_int)n;
        in_stop(in, INTERP_CHECK_FAILED, INTERP_BOUNDS, e->loc);
    }
    if (p.kind == IN_ROW && p.n_index < p.var->n_dims) {
        in_shown_row(in, e->a->type->count, i, e->loc);
        uint64_t *index = arena_array(in->arena, uint64_t, p.var->n_dims);
        for (uint32_t k = 0; k < p.n_index; k++)
            index[k] = p.index[k];
        index[p.n_index++] = (uint64_t)i;
        p.index = index;
    } else {
        p.offset += (uint32_t)i * in_cells(e->type);
    }
    return p;
}

struct in_place in_place_of(struct interp *in, const struct ast_expr *e)
{
    struct in_place p;
    struct in_cell c;
    switch (e->kind) {
    case AST_VAR:
        return place_of_var(in, e->var);
    case AST_INDEX:
        return place_of_element(in, e);
    case AST_FIELD:
        p = in_place_of(in, e->a);
        p.offset += field_offset(e->a->type, e->field);
        return p;
    default:
        assert(e->kind == AST_DEREF);
        in_eval_into(in, e->a, &c);
        return *c.p;
    }
}

static void constant_cells(const struct ast_expr *e, struct in_cell *out, uint32_t *n)
{
    if (e->kind == AST_INIT) {
        for (uint64_t i = 0; i < e->n_args; i++)
            constant_cells(e->args[i], out, n);
    } else if (e->kind == AST_CAST) {
        constant_cells(e->a, out, n);
        out[*n - 1].i = ast_int_cast(e->type, out[*n - 1].i);
    } else {
        assert(e->kind == AST_CONST);
        out[(*n)++].i = e->value;
    }
}

static void load(struct interp *in, const struct in_place *p, uint32_t n, struct in_cell *out,
                 uint64_t read, struct src_loc loc)
{
    switch (p->kind) {
    case IN_STACK:
        memcpy(out, &in->stack.data[p->offset], n * sizeof *out);
        return;
    case IN_CONSTANT: {
        uint32_t k = 0;
        struct in_cell *all = arena_array(in->arena, struct in_cell, in_cells(p->var->type));
        constant_cells(p->var->init, all, &k);
        memcpy(out, all + p->offset, n * sizeof *out);
        return;
    }
    case IN_ROW:
        in_row_read(in, p, n, out, read, loc);
    }
}

static void store(struct interp *in, const struct in_place *p, uint32_t n, const struct in_cell *v,
                  uint64_t read, struct src_loc loc)
{
    assert(p->kind != IN_CONSTANT);
    if (p->kind == IN_ROW)
        in_shown_write(in, p, loc);
    if (p->kind == IN_ROW)
        in_row_write(in, p, n, v, read, loc);
    else
        memcpy(&in->stack.data[p->offset], v, n * sizeof *v);
}

/* ---- operators with effects ---------------------------------------------------------------- */

static ast_int eval_update(struct interp *in, const struct ast_expr *e)
{
    struct in_place p = in_place_of(in, e->a);
    struct in_cell c;
    load(in, &p, 1, &c, access_key(in, e), e->a->loc);
    ast_int old = c.i, b = e->kind == AST_COMPOUND ? in_eval(in, e->b) : 1;
    ast_int v = in_binary(in, e->op, e->comp, in_cast(e->comp, e->a->type, old), b, e->loc);
    c.i = in_cast(e->a->type, e->comp, v);
    store(in, &p, 1, &c, access_key(in, e), e->a->loc);
    return e->kind == AST_INCDEC && !e->prefix ? old : c.i;
}

static void lock(struct interp *in, const struct ast_expr *e)
{
    struct in_place p = in_place_of(in, e->args[0]);
    uint32_t n = in_cells(e->args[0]->type);
    if (p.kind != IN_ROW)
        return; /* a pointer to a local */
    struct in_cell *ignored = arena_array(in->arena, struct in_cell, n + 1);
    if (in->options->database)
        in_touch(in, (struct interp_row){p.var, p.index},
                 e->builtin == AST_FOR_SHARE ? SX_TOUCH_SHARE : SX_TOUCH_LOCK);
    else
        in_row_read(in, &p, in->options->by_field ? n : 1, ignored, access_key(in, e),
                    e->args[0]->loc);
    struct interp_lock l = {{p.var, p.index}, e->builtin, p.offset, n};
    vec_push(&in->run->locks, l);
}

static ast_int eval_fresh(struct interp *in, const struct ast_expr *e)
{
    struct in_place p = in_place_of(in, e->args[0]);
    uint64_t *index = arena_array(in->arena, uint64_t, p.n_index + 1);
    for (uint32_t i = 0; i < p.n_index; i++)
        index[i] = p.index[i];
    struct interp_fresh f = {{p.var, index}, key_of(in, e)};
    ast_int v = in->host->fresh(in->host->arg, f.row, f.key);
    assert(v >= 0 && (uint64_t)v < extent(in, p.var->dims[p.n_index]));
    index[p.n_index] = (uint64_t)v;
    vec_push(&in->run->fresh, f);
    return v;
}

static ast_int eval_builtin(struct interp *in, const struct ast_expr *e)
{
    ast_int v;
    switch (e->builtin) {
    case AST_ASSUME:
        if (!in_eval(in, e->args[0]))
            in_stop(in, INTERP_NOT_ASSUMED, INTERP_NOTHING, e->loc);
        return 0;
    case AST_ASSERT:
        v = in_eval(in, e->args[0]);
        vec_push(&in->run->asserts, ((struct interp_assert){e, v != 0}));
        return 0;
    case AST_ROLLBACK:
        in_stop(in, INTERP_ROLLED_BACK, INTERP_NOTHING, e->loc);
    case AST_NONDET:
        return in->host->nondet(in->host->arg, e->type, key_of(in, e), false);
    case AST_FOR_UPDATE:
    case AST_FOR_SHARE:
        lock(in, e);
        return 0;
    case AST_SKIP_LOCKED: /* the row that was chosen, which is locked then */
        v = in->stack.data[in->frame->base[e->var->id]].i == in->choice;
        if (v)
            lock(in, e);
        return v;
    case AST_FRESH:
        return eval_fresh(in, e);
    }
    return 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

static ast_int eval_scalar(struct interp *in, const struct ast_expr *e)
{
    ast_int a, b;
    switch (e->kind) {
    case AST_CONST:
        return e->value;
    case AST_ANY:
        return (ast_int)in->options->rows;
    case AST_UNARY:
        return in_unary(in, e->op, e->type, in_eval(in, e->a), e->loc);
    case AST_BINARY:
        a = in_eval(in, e->a);
        b = in_eval(in, e->b);
        in_shown_compare(in, e, a, b);
        return in_binary(in, e->op, e->a->type, a, b, e->loc);
    case AST_AND:
        return in_eval(in, e->a) && in_eval(in, e->b);
    case AST_OR:
        return in_eval(in, e->a) || in_eval(in, e->b);
    case AST_COMPOUND:
    case AST_INCDEC:
        return eval_update(in, e);
    case AST_BUILTIN:
        return eval_builtin(in, e);
    default:
        assert(!"a scalar expression");
        return 0;
    }
}

static struct in_cell *room(struct interp *in, const struct ast_type *t)
{
    return arena_array(in->arena, struct in_cell, in_cells(t) + 1);
}

static void eval_addr(struct interp *in, const struct ast_expr *e, struct in_cell *out)
{
    struct in_place p = in_place_of(in, e->a);
    *out = (struct in_cell){.p = arena_copy(in->arena, &p, sizeof p)};
}

static void eval_any(struct interp *in, const struct ast_expr *e, struct in_cell *out)
{
    struct in_place p;
    struct in_cell *whole;
    switch (e->kind) {
    case AST_LOAD:
        p = in_place_of(in, e->a);
        load(in, &p, in_cells(e->type), out, access_key(in, e), e->a->loc);
        return;
    case AST_ADDR:
        eval_addr(in, e, out);
        return;
    case AST_CAST:
        if (e->type->kind == AST_VOID)
            in_eval_into(in, e->a, room(in, e->a->type));
        else
            *out = (struct in_cell){.i = in_cast(e->type, e->a->type, in_eval(in, e->a))};
        return;
    case AST_COND:
        in_eval_into(in, in_eval(in, e->a) ? e->b : e->c, out);
        return;
    case AST_COMMA:
        in_eval_into(in, e->a, room(in, e->a->type));
        in_eval_into(in, e->b, out);
        return;
    case AST_ASSIGN:
        p = in_place_of(in, e->a);
        in_eval_into(in, e->b, out);
        store(in, &p, in_cells(e->a->type), out, access_key(in, e), e->a->loc);
        return;
    case AST_MEMBER:
        whole = room(in, e->a->type);
        in_eval_into(in, e->a, whole);
        memcpy(out, whole + field_offset(e->a->type, e->field), in_cells(e->type) * sizeof *out);
        return;
    case AST_INIT:
        for (uint64_t i = 0; i < e->n_args; out += in_cells(e->args[i++]->type))
            in_eval_into(in, e->args[i], out);
        return;
    case AST_CALL:
        in_call(in, e, out);
        return;
    default:
        *out = (struct in_cell){.i = eval_scalar(in, e)};
    }
}

void in_eval_into(struct interp *in, const struct ast_expr *e, struct in_cell *out)
{
    uint64_t outer = in->statement;
    in_step(in, e->loc);
    if (e->full && !in->folds)
        in->statement = key_of(in, e);
    eval_any(in, e, out);
    if (e->full)
        in->statement = outer;
}

ast_int in_eval(struct interp *in, const struct ast_expr *e)
{
    struct in_cell c[2] = {0};
    in_eval_into(in, e, c);
    return c[0].i;
}
