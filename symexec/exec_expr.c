/* Expressions, left to right.  Operands that may not be evaluated (&&, ||, ?:) are branches like
 * those of `if`; what they do to the state is merged in the same way. */
#include <assert.h>

#include "symexec/exec.h"

static sx_value zero(struct sx_exec *x)
{
    return term_const(x->store, 0);
}

term_id sx_eval_cond(struct sx_exec *x, const struct ast_expr *e)
{
    term_id v = sx_eval(x, e);
    if (sx_stopped(x))
        return TERM_FALSE;
    return facts_fold(&x->facts, term_truth(x->store, v));
}

/* a && b, a || b: the truth of the whole. */
static term_id eval_logical(struct sx_exec *x, const struct ast_expr *e)
{
    term_id a = sx_eval_cond(x, e->a);
    bool is_and = e->kind == AST_AND;
    if (sx_stopped(x))
        return TERM_FALSE;
    if (a == TERM_TRUE || a == TERM_FALSE)
        return (a == TERM_TRUE) == is_and ? sx_eval_cond(x, e->b) : a;
    struct sx_branch br;
    sx_branch_then(x, &br, is_and ? a : term_not(x->store, a));
    term_id b = sx_eval_cond(x, e->b);
    bool stopped = sx_stopped(x);
    sx_branch_else(x, &br);
    sx_branch_join(x, &br);
    if (stopped) /* b never comes back: then a alone decided */
        return is_and ? TERM_FALSE : TERM_TRUE;
    return is_and ? term_and(x->store, a, b) : term_or(x->store, a, b);
}

static void eval_choice(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    uint32_t n = sx_cells(x, e->type);
    term_id c = sx_eval_cond(x, e->a);
    if (sx_stopped(x) || c == TERM_TRUE || c == TERM_FALSE) {
        sx_eval_into(x, c == TERM_FALSE ? e->c : e->b, out);
        return;
    }
    sx_value *other = arena_array(&x->scratch, sx_value, n + 1);
    struct sx_branch br;
    sx_branch_then(x, &br, c);
    sx_eval_into(x, e->b, out);
    bool no_then = sx_stopped(x);
    sx_branch_else(x, &br);
    sx_eval_into(x, e->c, other);
    bool no_other = sx_stopped(x);
    sx_branch_join(x, &br);
    for (uint32_t i = 0; i < n; i++) {
        if (no_then)
            out[i] = other[i];
        else if (!no_other)
            out[i] = sx_choose(x, c, out[i], other[i]);
    }
}

/* The next access to a row is made by this expression. */
static void set_access(struct sx_exec *x, const struct ast_expr *e)
{
    /* All reads of a fold or an ATOMIC statement are one read. */
    x->access_key =
        x->folds ? x->statement_key : sx_context_key(x->context, SX_CONTEXT_EXPR, e->id, 0);
}

static void eval_load(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    struct sx_place p = sx_eval_place(x, e->a);
    set_access(x, e);
    sx_load(x, p, sx_cells(x, e->type), out, e->a->loc);
}

static void eval_assign(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    struct sx_place p = sx_eval_place(x, e->a);
    sx_eval_into(x, e->b, out);
    set_access(x, e);
    sx_store(x, p, sx_cells(x, e->a->type), out, e->a->loc);
}

/* a op= b, ++a, a++: read, compute in the computation type, convert back, write.  Operands are read
 * from left to right as in a = a op b: under RC, where each read has its own snapshot, this shows.
 */
static sx_value eval_update(struct sx_exec *x, const struct ast_expr *e)
{
    struct sx_place p = sx_eval_place(x, e->a);
    sx_value old;
    set_access(x, e);
    sx_load(x, p, 1, &old, e->a->loc);
    sx_value b = e->kind == AST_COMPOUND ? sx_eval(x, e->b) : term_const(x->store, 1);
    set_access(x, e);
    if (sx_stopped(x))
        return zero(x);
    term_id v = sx_binary(x, e, e->op, e->comp, sx_cast(x, e->comp, e->a->type, old), b);
    v = sx_cast(x, e->a->type, e->comp, v);
    sx_store(x, p, 1, &v, e->a->loc);
    return e->kind == AST_INCDEC && !e->prefix ? old : v;
}

static void eval_member(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    sx_value *all = arena_array(&x->scratch, sx_value, sx_cells(x, e->a->type) + 1);
    sx_eval_into(x, e->a, all);
    uint32_t offset = sx_field_offset(x, e->a->type, e->field);
    memcpy(out, all + offset, sx_cells(x, e->type) * sizeof *out);
}

static void eval_init(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    for (uint64_t i = 0; i < e->n_args; i++) {
        sx_eval_into(x, e->args[i], out);
        out += sx_cells(x, e->args[i]->type);
    }
}

/* ---- builtins ------------------------------------------------------------------------------ */

static void lock_place(struct sx_exec *x, const struct ast_expr *e, term_id where)
{
    const struct ast_expr *place = e->args[0];
    struct sx_place p = sx_eval_place(x, place);
    set_access(x, e);
    for (size_t i = 0; i < p.n && !sx_stopped(x); i++) {
        term_id cond = p.n == 1 ? TERM_TRUE : p.alts[i].cond;
        if (p.alts[i].to.kind != SX_DATABASE)
            continue; /* a pointer to a local */
        sx_row_lock(x, &p.alts[i].to, term_and(x->store, where, cond), sx_cells(x, place->type),
                    e->builtin == AST_FOR_SHARE, place->loc);
    }
}

/* The row of this round is the one that was chosen (choose_row), and is locked then. */
static sx_value eval_skip_locked(struct sx_exec *x, const struct ast_expr *e)
{
    term_id i = env_get(&x->pool, x->st.locals, x->frame->base[e->var->id]);
    term_id c = term_eq(x->store, i, x->choice);
    lock_place(x, e, c);
    return sx_stopped(x) ? zero(x) : term_from_bool(x->store, c);
}

static sx_value eval_nondet(struct sx_exec *x, const struct ast_expr *e)
{
    if (sx_stopped(x))
        return zero(x);
    const char *name =
        arena_printf(&x->scratch, "%s at %u:%u", sx_text(x, e), e->loc.line, e->loc.col);
    return sx_input(x, SX_NONDET, e->type, e->loc, name,
                    sx_context_key(x->context, SX_CONTEXT_EXPR, e->id, 0));
}

/* The frontend has seen to it that the place is a table whose leading indices are given. */
static sx_value eval_fresh(struct sx_exec *x, const struct ast_expr *e)
{
    struct sx_place p = sx_eval_place(x, e->args[0]);
    if (sx_stopped(x))
        return zero(x);
    assert(p.n == 1 && p.alts[0].to.kind == SX_DATABASE);
    struct sx_target to = p.alts[0].to;
    uint32_t n = to.var->n_dims;
    if (x->program->options.granularity == SX_FIELD) {
        diag_add(x->diags, DIAG_ERROR, e->loc, "fresh gives whole rows");
        diag_hint(x->diags, "leave --granularity at row");
        x->failed = true;
        return zero(x);
    }
    const char *name =
        arena_printf(&x->scratch, "%s at %u:%u", sx_text(x, e), e->loc.line, e->loc.col);
    term_id leaf = sx_index_input(x, SX_FRESH, e->type, to.var->dims[n - 1], e->loc, name,
                                  sx_context_key(x->context, SX_CONTEXT_EXPR, e->id, 0));
    term_id *index = arena_array(x->arena, term_id, n);
    for (uint32_t i = 0; i + 1 < n; i++)
        index[i] = term_substitute(&x->total, to.index[i]);
    index[n - 1] = leaf;
    vec_last(&x->inputs).row = (struct sx_row){x->first_table[to.var->id], index};
    return leaf;
}

static sx_value eval_builtin(struct sx_exec *x, const struct ast_expr *e)
{
    term_id c;
    switch (e->builtin) {
    case AST_ASSUME:
        c = sx_eval_cond(x, e->args[0]);
        sx_require(x, SX_ASSUME, c, e->loc, sx_text(x, e->args[0]));
        break;
    case AST_ASSERT:
        c = sx_eval_cond(x, e->args[0]);
        sx_assertion(x, c, e->loc, sx_text(x, e->args[0]));
        break;
    case AST_ROLLBACK:
        sx_require(x, SX_ROLLBACK, TERM_FALSE, e->loc, "rollback()");
        break;
    case AST_NONDET:
        return eval_nondet(x, e);
    case AST_FOR_UPDATE:
    case AST_FOR_SHARE:
        lock_place(x, e, TERM_TRUE);
        break;
    case AST_SKIP_LOCKED:
        return eval_skip_locked(x, e);
    case AST_FRESH:
        return eval_fresh(x, e);
    }
    return zero(x);
}

/* ---- all ----------------------------------------------------------------------------------- */

static sx_value eval_scalar(struct sx_exec *x, const struct ast_expr *e)
{
    sx_value a, b;
    switch (e->kind) {
    case AST_CONST:
        return term_const(x->store, e->value);
    case AST_ANY:
        return sx_extent(x, AST_ANY_ROWS);
    case AST_ADDR: {
        struct sx_place p = sx_eval_place(x, e->a);
        return sx_stopped(x) ? zero(x) : sx_pointer(x, p);
    }
    case AST_UNARY:
        a = sx_eval(x, e->a);
        return sx_unary(x, e, a);
    case AST_BINARY:
        a = sx_eval(x, e->a);
        b = sx_eval(x, e->b);
        sx_shown_compare(x, e, a, b);
        return sx_binary(x, e, e->op, e->a->type, a, b);
    case AST_AND:
    case AST_OR:
        return term_from_bool(x->store, eval_logical(x, e));
    case AST_COMPOUND:
    case AST_INCDEC:
        return eval_update(x, e);
    case AST_BUILTIN:
        return eval_builtin(x, e);
    default:
        assert(!"a scalar expression");
        return zero(x);
    }
}

static void eval_cast(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    if (e->type->kind == AST_VOID) {
        sx_eval_into(x, e->a, arena_array(&x->scratch, sx_value, sx_cells(x, e->a->type) + 1));
        return;
    }
    sx_value v = sx_eval(x, e->a);
    *out = sx_stopped(x) ? zero(x) : sx_cast(x, e->type, e->a->type, v);
}

static void eval_any(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    switch (e->kind) {
    case AST_LOAD:
        eval_load(x, e, out);
        return;
    case AST_CAST:
        eval_cast(x, e, out);
        return;
    case AST_COND:
        eval_choice(x, e, out);
        return;
    case AST_COMMA:
        sx_eval_into(x, e->a, arena_array(&x->scratch, sx_value, sx_cells(x, e->a->type) + 1));
        sx_eval_into(x, e->b, out);
        return;
    case AST_ASSIGN:
        eval_assign(x, e, out);
        return;
    case AST_MEMBER:
        eval_member(x, e, out);
        return;
    case AST_INIT:
        eval_init(x, e, out);
        return;
    case AST_CALL:
        sx_call(x, e, out);
        return;
    default:
        *out = eval_scalar(x, e);
    }
}

void sx_eval_into(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    if (sx_stopped(x)) {
        for (uint32_t i = 0; i < sx_cells(x, e->type); i++)
            out[i] = zero(x);
        return;
    }
    if (!e->full || x->folds) {
        eval_any(x, e, out);
        return;
    }
    uint32_t outer = x->statement;
    uint64_t outer_key = x->statement_key;
    x->statement = ++x->statements;
    x->statement_key = sx_context_key(x->context, SX_CONTEXT_EXPR, e->id, 0);
    eval_any(x, e, out);
    x->statement = outer;
    x->statement_key = outer_key;
}

sx_value sx_eval(struct sx_exec *x, const struct ast_expr *e)
{
    sx_value one = zero(x);
    assert(sx_cells(x, e->type) <= 1);
    sx_eval_into(x, e, &one);
    return one;
}
