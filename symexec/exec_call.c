/* Calls: functions are executed in place, with storage of their own.  In a scenario a call of a
 * transaction is an event; what it returns is a leaf. */
#include <assert.h>

#include "symexec/exec.h"

/* Calls within calls; the executor's own recursion is proportional to it. */
#define FRAMES_MAX 400

static sx_value *eval_args(struct sx_exec *x, const struct ast_expr *e, uint32_t *n)
{
    *n = 0;
    for (uint64_t i = 0; i < e->n_args; i++)
        *n += sx_cells(x, e->args[i]->type);
    sx_value *args = arena_array(&x->scratch, sx_value, *n + 1), *next = args;
    for (uint64_t i = 0; i < e->n_args; i++) {
        sx_eval_into(x, e->args[i], next);
        next += sx_cells(x, e->args[i]->type);
    }
    return args;
}

/* ---- transactions called by a scenario ----------------------------------------------------- */

struct results {
    struct sx_exec *x;
    struct sx_call *call;
};

static void add_result(void *arg, const struct ast_type *t, const char *path)
{
    struct results *r = arg;
    struct sx_exec *x = r->x;
    struct term_leaf leaf = {.kind = TERM_LEAF_RET,
                             .owner = x->sum->id,
                             .a = (uint32_t)x->calls.len,
                             .b = r->call->n_ret,
                             .bits = t->width,
                             .is_signed = t->is_signed,
                             .lo = ast_int_min(t),
                             .hi = ast_int_max(t),
                             .name = path};
    r->call->ret[r->call->n_ret++] = term_leaf(x->store, leaf);
}

static void call_transaction(struct sx_exec *x, const struct ast_expr *e, const sx_value *args,
                             uint32_t n, sx_value *out)
{
    struct sx_call c = {.func = e->callee,
                        .session = x->session ? x->session - 1 : x->sessions++,
                        .guard = sx_path(x),
                        .before = x->ok,
                        .n_points = x->points.len,
                        .key = sx_context_key(x->context, SX_CONTEXT_CALL, e->id, 0),
                        .args = arena_copy(x->arena, args, n * sizeof *args),
                        .n_args = n,
                        .loc = e->loc};
    uint32_t n_ret = sx_cells(x, e->callee->result);
    c.ret = arena_array(x->arena, term_id, n_ret);
    struct results r = {x, &c};
    const char *name =
        arena_printf(&x->scratch, "%s() at %u:%u", e->callee->name, e->loc.line, e->loc.col);
    sx_each_scalar(e->callee->result, name, &x->scratch, add_result, &r);
    for (uint32_t i = 0; i < n_ret; i++)
        out[i] = c.ret[i];
    vec_push(&x->calls, c);
}

/* ---- functions executed in place ----------------------------------------------------------- */

/* How often is f active already, counting only activations that narrowed the path?  A recursion
 * whose depth the constants decide needs no bound. */
static unsigned recursion_depth(struct sx_exec *x, const struct ast_func *f)
{
    for (struct sx_frame *p = x->frame; p; p = p->caller)
        if (p->func == f)
            return p->depth + (p->path != sx_path(x));
    return 0;
}

static bool too_deep(struct sx_exec *x, const struct ast_func *f, unsigned depth,
                     struct src_loc loc)
{
    if (depth <= x->unwind && x->frames < FRAMES_MAX)
        return false;
    const char *text = arena_printf(x->arena, "the recursion of %s ends within %u calls", f->name,
                                    depth > x->unwind ? x->unwind : FRAMES_MAX);
    size_t n = x->points.len;
    sx_require(x, SX_UNWIND, TERM_FALSE, loc, text);
    for (; n < x->points.len && depth <= x->unwind; n++)
        x->points.data[n].advice = "and no more are followed, whatever --unwind is";
    return true;
}

static void bind_params(struct sx_exec *x, const struct ast_func *f, const sx_value *args)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        const struct ast_var *v = f->params[i];
        uint32_t n = sx_cells(x, v->type);
        x->frame->base[v->id] = x->sp;
        for (uint32_t k = 0; k < n; k++)
            env_set(&x->pool, &x->st.locals, x->sp++, *args++);
    }
}

static void any_scalar(void *arg, const struct ast_type *t, const char *path)
{
    struct results *r = arg;
    uint64_t key = sx_context_key(r->x->context, SX_CONTEXT_RESULT, 0, r->call->n_ret);
    sx_value v = sx_input(r->x, SX_UNINIT, t, r->x->frame->func->loc, path, key);
    env_set(&r->x->pool, &r->x->st.locals, r->x->frame->result + r->call->n_ret++, v);
}

/* Who runs off the end of a function that has a result returns any value. */
static void run_off_end(struct sx_exec *x, const struct ast_func *f)
{
    struct sx_call count = {0};
    struct results r = {x, &count};
    if (sx_stopped(x) || sx_cells(x, f->result) == 0)
        return;
    sx_each_scalar(f->result, arena_printf(&x->scratch, "%s() without return", f->name),
                   &x->scratch, any_scalar, &r);
}

static void run_body(struct sx_exec *x, const struct ast_func *f, const sx_value *args)
{
    x->frame->join = sx_join_open(x);
    bind_params(x, f, args);
    sx_exec_stmt(x, f->body);
    run_off_end(x, f);
    sx_join_close(x);
}

void sx_inline(struct sx_exec *x, const struct ast_func *f, const sx_value *args, sx_value *out,
               struct src_loc loc, uint64_t call)
{
    uint32_t n = sx_cells(x, f->result), sp = x->sp;
    uint64_t context = x->context;
    struct sx_frame frame = {.func = f,
                             .base = arena_array(&x->scratch, uint32_t, f->n_vars + 1),
                             .result = sp,
                             .path = sx_path(x),
                             .depth = recursion_depth(x, f),
                             .caller = x->frame};
    for (uint32_t i = 0; i < n; i++)
        out[i] = term_const(x->store, 0);
    if (sx_stopped(x) || too_deep(x, f, frame.depth, loc))
        return;
    x->sp += n;
    x->frame = &frame;
    x->frames++;
    x->context = sx_context_key(context, SX_CONTEXT_CALL, call, 0);
    run_body(x, f, args);
    for (uint32_t i = 0; i < n && !sx_stopped(x); i++)
        out[i] = facts_value(&x->facts, env_get(&x->pool, x->st.locals, frame.result + i));
    x->frames--;
    x->context = context;
    x->frame = frame.caller;
    x->sp = sp;
}

void sx_call(struct sx_exec *x, const struct ast_expr *e, sx_value *out)
{
    uint32_t n;
    sx_value *args = eval_args(x, e, &n);
    if (sx_stopped(x)) {
        for (uint32_t i = 0; i < sx_cells(x, e->type); i++)
            out[i] = term_const(x->store, 0);
        return;
    }
    if (e->callee->role == AST_TRANSACTION && x->role == AST_SCENARIO)
        call_transaction(x, e, args, n, out);
    else
        sx_inline(x, e->callee, args, out, e->loc, e->id);
    if (sx_is_database(x->program->options.reads) && !x->folds) {
        x->statement = ++x->statements;
        x->statement_key = sx_context_key(x->context, SX_CONTEXT_RESUMED, e->id, 0);
    }
}
