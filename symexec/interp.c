/* Statements, calls and the run as a whole; see interp.h. */
#include "symexec/interp.h"

#include <assert.h>

#include "symexec/interp_internal.h"

_Noreturn void in_stop(struct interp *in, enum interp_end end, enum interp_check kind,
                       struct src_loc loc)
{
    in->run->end = end;
    in->run->kind = kind;
    in->run->loc = loc;
    longjmp(in->stop, 1);
}

void in_step(struct interp *in, struct src_loc loc)
{
    if (++in->steps > in->max_steps)
        in_stop(in, INTERP_TOO_LONG, INTERP_NOTHING, loc);
}

uint32_t in_cells(const struct ast_type *t)
{
    uint32_t n = 0;
    switch (t->kind) {
    case AST_VOID:
        return 0;
    case AST_INT:
    case AST_POINTER:
        return 1;
    case AST_STRUCT:
        for (uint32_t i = 0; i < t->n_fields; i++)
            n += in_cells(t->fields[i].type);
        return n;
    case AST_ARRAY:
        return (uint32_t)t->count * in_cells(t->elem);
    }
    return 0;
}

/* ---- storage ------------------------------------------------------------------------------- */

struct filling {
    enum sx_context_kind kind;
    uint64_t id, n;
};

static void fill(struct interp *in, const struct ast_type *t, struct filling *f,
                 struct in_cell **out)
{
    switch (t->kind) {
    case AST_VOID:
        return;
    case AST_POINTER:
        *(*out)++ = (struct in_cell){0};
        f->n++;
        return;
    case AST_INT:
        (*out)++->i = in->host->nondet(in->host->arg, t,
                                       sx_context_key(in->context, f->kind, f->id, f->n), true);
        f->n++;
        return;
    case AST_STRUCT:
        for (uint32_t i = 0; i < t->n_fields; i++)
            fill(in, t->fields[i].type, f, out);
        return;
    case AST_ARRAY:
        for (uint64_t i = 0; i < t->count; i++)
            fill(in, t->elem, f, out);
    }
}

static void uninitialised(struct interp *in, const struct ast_type *t, enum sx_context_kind kind,
                          uint64_t id, struct in_cell *out)
{
    struct filling f = {kind, id, 0};
    fill(in, t, &f, &out);
}

static void allocate(struct interp *in, const struct ast_var *v)
{
    in->frame->base[v->id] = (uint32_t)in->stack.len;
    vec_resize(&in->stack, in->stack.len + in_cells(v->type));
}

static void fill_variable(struct interp *in, const struct ast_var *v)
{
    uninitialised(in, v->type, SX_CONTEXT_VARIABLE, v->id, &in->stack.data[in->frame->base[v->id]]);
}

static void declare(struct interp *in, const struct ast_stmt *s)
{
    uint32_t n = in_cells(s->var->type);
    if (!s->expr) {
        fill_variable(in, s->var);
        return;
    }
    struct in_cell *v = arena_array(in->arena, struct in_cell, n + 1);
    in_eval_into(in, s->expr, v);
    memcpy(&in->stack.data[in->frame->base[s->var->id]], v, n * sizeof *v);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static enum in_flow exec_item(struct interp *in, const struct ast_stmt *s, bool allocated)
{
    if (s->kind != AST_STMT_DECL)
        return in_exec(in, s);
    if (!allocated)
        allocate(in, s->var);
    declare(in, s);
    return IN_NEXT;
}

/* A body that may be entered in the middle: all its variables exist, with any value, on entry. */
static void allocate_all(struct interp *in, const struct ast_stmt *s)
{
    for (uint32_t i = 0; i < s->n_items; i++) {
        if (s->items[i]->kind == AST_STMT_DECL) {
            allocate(in, s->items[i]->var);
            fill_variable(in, s->items[i]->var);
        }
    }
}

/* Where in this body is the label that a goto is looking for?  n_items: not here. */
static uint32_t find_label(const struct interp *in, const struct ast_stmt *s)
{
    uint32_t i = 0;
    while (i < s->n_items && s->items[i] != in->target)
        i++;
    return i;
}

static enum in_flow exec_items(struct interp *in, const struct ast_stmt *s, uint32_t i,
                               bool allocated)
{
    while (i < s->n_items) {
        enum in_flow f = exec_item(in, s->items[i], allocated);
        if (f == IN_GOTO && find_label(in, s) < s->n_items)
            i = find_label(in, s);
        else if (f != IN_NEXT)
            return f;
        i++;
    }
    return IN_NEXT;
}

static enum in_flow exec_block(struct interp *in, const struct ast_stmt *s)
{
    size_t sp = in->stack.len;
    bool labels = false;
    for (uint32_t i = 0; i < s->n_items; i++)
        labels |= s->items[i]->kind == AST_STMT_LABEL;
    if (labels)
        allocate_all(in, s);
    enum in_flow f = exec_items(in, s, 0, labels);
    vec_resize(&in->stack, sp);
    return f;
}

static enum in_flow exec_switch(struct interp *in, const struct ast_stmt *s)
{
    size_t sp = in->stack.len;
    ast_int v = in_eval(in, s->expr);
    uint32_t start = s->n_items, i;
    allocate_all(in, s);
    for (i = 0; i < s->n_items; i++) {
        if (s->items[i]->kind == AST_STMT_CASE && s->items[i]->value == v)
            break;
        if (s->items[i]->kind == AST_STMT_DEFAULT)
            start = i;
    }
    enum in_flow f = exec_items(in, s, i < s->n_items ? i : start, true);
    vec_resize(&in->stack, sp);
    return f == IN_BREAK ? IN_NEXT : f;
}

/* ---- loops --------------------------------------------------------------------------------- */

static bool loop_condition(struct interp *in, const struct ast_stmt *s)
{
    return !s->expr || in_eval(in, s->expr);
}

static void loop_init(struct interp *in, const struct ast_stmt *s)
{
    if (s->kind != AST_STMT_FOR || !s->init)
        return;
    if (s->init->kind != AST_STMT_BLOCK) {
        exec_item(in, s->init, false);
        return;
    }
    for (uint32_t i = 0; i < s->init->n_items; i++)
        exec_item(in, s->init->items[i], false);
}

static enum in_flow loop_iterations(struct interp *in, const struct ast_stmt *s)
{
    uint64_t outer = in->context, n = 0;
    in->context = sx_context_key(outer, SX_CONTEXT_ITERATION, s->id, n);
    bool go = s->kind == AST_STMT_DO || loop_condition(in, s);
    enum in_flow f = IN_NEXT;
    while (go) {
        in_step(in, s->loc);
        f = in_exec(in, s->body);
        if (f != IN_NEXT && f != IN_CONTINUE)
            break;
        f = IN_NEXT;
        if (s->step)
            in_eval_into(in, s->step,
                         arena_array(in->arena, struct in_cell, in_cells(s->step->type) + 1));
        in->context = sx_context_key(outer, SX_CONTEXT_ITERATION, s->id, ++n);
        go = loop_condition(in, s);
    }
    in->context = outer;
    return f == IN_BREAK ? IN_NEXT : f;
}

static enum in_flow exec_loop(struct interp *in, const struct ast_stmt *s)
{
    size_t sp = in->stack.len;
    uint64_t statement = in->statement;
    ast_int choice = in->choice;
    bool fold = s->fold && !s->fold->refuted;
    if (fold && in->folds++ == 0)
        in->statement = sx_context_key(in->context, SX_CONTEXT_FOLD, s->id, 0);
    if (s->fold && s->fold->skip)
        in->choice = in->host->nondet(
            in->host->arg, s->fold->index->type,
            sx_context_key(in->context, SX_CONTEXT_EXPR, s->fold->skip->id, 0), false);
    loop_init(in, s);
    enum in_flow f =
        fold && in_is_shown(in, s->fold->size) ? in_shown_rounds(in, s) : loop_iterations(in, s);
    vec_resize(&in->stack, sp);
    in->choice = choice;
    if (fold) {
        in->folds--;
        in->statement = statement;
    }
    return f;
}

/* ---- statements ---------------------------------------------------------------------------- */

static enum in_flow exec_session(struct interp *in, const struct ast_stmt *s)
{
    in->session = ++in->sessions;
    enum in_flow f = in_exec(in, s->body);
    in->session = 0;
    return f;
}

static enum in_flow exec_atomic(struct interp *in, const struct ast_stmt *s)
{
    uint64_t statement = in->statement;
    if (in->folds++ == 0)
        in->statement = sx_context_key(in->context, SX_CONTEXT_FOLD, s->id, 0);
    if (in->options->database && !in->in_initial)
        in->updates = s->atomic;
    enum in_flow f = in_exec(in, s->body);
    in->updates = NULL;
    in->folds--;
    in->statement = statement;
    return f;
}

enum in_flow in_exec(struct interp *in, const struct ast_stmt *s)
{
    if (in_atomic_part(in, s))
        return IN_NEXT;
    switch (s->kind) {
    case AST_STMT_EXPR:
        in_eval_into(in, s->expr,
                     arena_array(in->arena, struct in_cell, in_cells(s->expr->type) + 1));
        return IN_NEXT;
    case AST_STMT_DECL:
        return exec_item(in, s, false);
    case AST_STMT_BLOCK:
        return exec_block(in, s);
    case AST_STMT_IF:
        if (in_eval(in, s->expr))
            return in_exec(in, s->body);
        return s->other ? in_exec(in, s->other) : IN_NEXT;
    case AST_STMT_SWITCH:
        return exec_switch(in, s);
    case AST_STMT_WHILE:
    case AST_STMT_DO:
    case AST_STMT_FOR:
        return exec_loop(in, s);
    case AST_STMT_BREAK:
        return IN_BREAK;
    case AST_STMT_CONTINUE:
        return IN_CONTINUE;
    case AST_STMT_RETURN:
        if (s->expr)
            in_eval_into(in, s->expr, in->frame->result);
        return IN_RETURN;
    case AST_STMT_GOTO:
        in->target = s->target;
        return IN_GOTO;
    case AST_STMT_SESSION:
        return exec_session(in, s);
    case AST_STMT_ATOMIC:
        return exec_atomic(in, s);
    case AST_STMT_CASE:
    case AST_STMT_DEFAULT:
    case AST_STMT_LABEL:
    case AST_STMT_EMPTY:
        break;
    }
    return IN_NEXT;
}

/* ---- calls --------------------------------------------------------------------------------- */

static void run_function(struct interp *in, const struct ast_func *f, const struct in_cell *args,
                         struct in_cell *result, uint64_t call)
{
    size_t sp = in->stack.len;
    uint64_t outer = in->context;
    struct in_frame frame = {f, arena_array(in->arena, uint32_t, f->n_vars + 1), result};
    struct in_frame *caller = in->frame;
    if (++in->depth > in->max_depth)
        in_stop(in, INTERP_TOO_LONG, INTERP_NOTHING, f->loc);
    in->frame = &frame;
    in->context = sx_context_key(outer, SX_CONTEXT_CALL, call, 0);
    for (uint32_t i = 0; i < f->n_params; i++) {
        uint32_t n = in_cells(f->params[i]->type);
        allocate(in, f->params[i]);
        for (uint32_t k = 0; k < n; k++)
            in->stack.data[frame.base[f->params[i]->id] + k] = *args++;
    }
    if (in_exec(in, f->body) != IN_RETURN)
        uninitialised(in, f->result, SX_CONTEXT_RESULT, 0, result);
    vec_resize(&in->stack, sp);
    in->context = outer;
    in->frame = caller;
    in->depth--;
}

static void call_transaction(struct interp *in, const struct ast_expr *e,
                             const struct in_cell *args, uint32_t n, struct in_cell *out)
{
    const struct ast_func *f = e->callee;
    uint32_t n_result = in_cells(f->result);
    ast_int *values = arena_array(in->arena, ast_int, n + 1);
    ast_int *result = arena_array(in->arena, ast_int, n_result + 1);
    for (uint32_t i = 0; i < n; i++)
        values[i] = args[i].i;
    uint32_t session = in->session ? in->session - 1 : in->sessions++;
    uint64_t key = sx_context_key(in->context, SX_CONTEXT_CALL, e->id, 0);
    in->host->call(in->host->arg, f, values, session, key, result);
    for (uint32_t i = 0; i < n_result; i++)
        out[i] = (struct in_cell){.i = result[i]};
}

void in_call(struct interp *in, const struct ast_expr *e, struct in_cell *out)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < e->n_args; i++)
        n += in_cells(e->args[i]->type);
    struct in_cell *args = arena_array(in->arena, struct in_cell, n + 1), *next = args;
    for (uint64_t i = 0; i < e->n_args; next += in_cells(e->args[i++]->type))
        in_eval_into(in, e->args[i], next);
    if (in->in_scenario && e->callee->role == AST_TRANSACTION)
        call_transaction(in, e, args, n, out);
    else
        run_function(in, e->callee, args, out, e->id);
    if (in->options->database && !in->folds)
        in->statement = sx_context_key(in->context, SX_CONTEXT_RESUMED, e->id, 0);
}

/* ---- the run ------------------------------------------------------------------------------- */

static void run_top(struct interp *in, const struct ast_func *f, const ast_int *args)
{
    struct interp_run *r = in->run;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++)
        n += in_cells(f->params[i]->type);
    struct in_cell *cells = arena_array(in->arena, struct in_cell, n + 1);
    for (uint32_t i = 0; i < n; i++)
        cells[i].i = args[i];
    r->n_result = in_cells(f->result);
    struct in_cell *result = arena_array(in->arena, struct in_cell, r->n_result + 1);
    r->result = arena_array(in->arena, ast_int, r->n_result + 1);
    if (setjmp(in->stop) == 0) {
        run_function(in, f, cells, result, f->id);
        r->end = INTERP_COMMITTED;
        for (uint32_t i = 0; i < r->n_result; i++)
            r->result[i] = result[i].i;
    }
}

void interp_run(struct ast_program *p, const struct ast_func *f, const ast_int *args,
                const struct interp_options *options, const struct interp_host *host,
                struct interp_run *out)
{
    *out = (struct interp_run){0};
    struct interp in = {.program = p,
                        .options = options,
                        .host = host,
                        .run = out,
                        .arena = &out->arena,
                        .max_steps = options->max_steps ? options->max_steps : 10000000,
                        .max_depth = options->max_depth ? options->max_depth : 400,
                        .in_scenario = f->role == AST_SCENARIO,
                        .in_initial = f->role == AST_INITIAL};
    run_top(&in, f, args);
    vec_free(&in.stack);
    vec_free(&in.row_next);
    map_free(&in.rows);
    vec_free(&in.last);
    vec_free(&in.rest);
    map_free(&in.seen);
}

void interp_run_free(struct interp_run *r)
{
    vec_free(&r->reads);
    vec_free(&r->writes);
    vec_free(&r->asserts);
    vec_free(&r->locks);
    vec_free(&r->touches);
    vec_free(&r->fresh);
    arena_free(&r->arena);
}
