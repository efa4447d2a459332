/* Loops that count: `v REL bound`, where nothing but one `v++`, `v--`, `v += c` or `v -= c` in each
 * round changes the local v.  Counts of iterations are lower bounds (except `most`): a count that
 * cannot be determined is 0. */
#include "symexec/rounds.h"

#define DEPTH_MAX 16 /* of calls */

struct counter {
    const struct ast_var *var;
    enum c_operator rel;
    const struct ast_expr *bound;
    ast_int step;
};

static uint64_t times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* Without casts that keep the value. */
static const struct ast_expr *plain(const struct ast_expr *e)
{
    while (e && e->kind == AST_CAST && e->type->kind == AST_INT && e->a->type->kind == AST_INT &&
           ast_int_min(e->type) <= ast_int_min(e->a->type) &&
           ast_int_max(e->type) >= ast_int_max(e->a->type))
        e = e->a;
    return e;
}

static const struct ast_var *loaded_var(const struct ast_expr *e)
{
    e = plain(e);
    return e && e->kind == AST_LOAD && e->a->kind == AST_VAR ? e->a->var : NULL;
}

static bool constant(const struct ast_expr *e, ast_int *out)
{
    ast_int a, b;
    const struct ast_var *v = loaded_var(e);
    if (v && v->kind == AST_VAR_CONST && v->init)
        return constant(v->init, out);
    if (!e)
        return false;
    if (e->kind == AST_CONST) {
        *out = e->value;
        return true;
    }
    if (e->kind == AST_CAST && e->type->kind == AST_INT && constant(e->a, &a)) {
        *out = ast_int_cast(e->type, a);
        return true;
    }
    if (e->kind == AST_UNARY && e->op == C_NEG && constant(e->a, &a))
        return c_unary(e->op, ast_int_type(e->type), a, out) == C_DEFINED;
    return e->kind == AST_BINARY && (e->op == C_ADD || e->op == C_SUB || e->op == C_MUL) &&
           constant(e->a, &a) && constant(e->b, &b) &&
           c_binary(e->op, ast_int_type(e->type), a, b, out) == C_DEFINED;
}

/* Assignments to the variable, and places where its address is taken (which count as two). */
static unsigned writes_in(const struct ast_expr *e, const struct ast_var *v)
{
    if (!e)
        return 0;
    bool here = e->a && e->a->kind == AST_VAR && e->a->var == v;
    unsigned n = 0;
    if (here && (e->kind == AST_ASSIGN || e->kind == AST_COMPOUND || e->kind == AST_INCDEC))
        n = 1;
    else if (here && e->kind == AST_ADDR)
        n = 2;
    n += writes_in(e->a, v) + writes_in(e->b, v) + writes_in(e->c, v);
    for (uint64_t i = 0; i < e->n_args && n < 2; i++)
        n += writes_in(e->args[i], v);
    return n;
}

static unsigned writes(const struct ast_stmt *s, const struct ast_var *v)
{
    if (!s)
        return 0;
    unsigned n = writes_in(s->expr, v) + writes_in(s->step, v) + writes(s->init, v) +
                 writes(s->body, v) + writes(s->other, v);
    for (uint32_t i = 0; i < s->n_items; i++)
        n += writes(s->items[i], v);
    return n;
}

/* ---- ways out ------------------------------------------------------------------------------- */

static bool leaves(const struct ast_stmt *s, bool breaks, unsigned depth);

/* Built-in checks do not count: nobody ends a loop by an overflow on purpose. */
static bool ends(const struct ast_expr *e, unsigned depth)
{
    if (!e)
        return false;
    if (e->kind == AST_BUILTIN &&
        (e->builtin == AST_ROLLBACK || e->builtin == AST_ASSUME || e->builtin == AST_ASSERT))
        return true;
    if (e->kind == AST_CALL && (depth >= DEPTH_MAX || e->callee->recursive || !e->callee->body))
        return true;
    bool found = ends(e->a, depth) || ends(e->b, depth) || ends(e->c, depth);
    for (uint64_t i = 0; i < e->n_args && !found; i++)
        found = ends(e->args[i], depth);
    /* A return leaves the function that is called, and no loop here. */
    return found || (e->kind == AST_CALL && leaves(e->callee->body, false, depth + 1));
}

/* May the statement jump out of the loop, or end everything?  `breaks`: a break is one of ours. */
static bool leaves(const struct ast_stmt *s, bool breaks, unsigned depth)
{
    if (!s)
        return false;
    if (s->kind == AST_STMT_BREAK)
        return breaks;
    if (s->kind == AST_STMT_RETURN || s->kind == AST_STMT_GOTO)
        return depth == 0 || ends(s->expr, depth);
    bool own = s->kind == AST_STMT_FOR || s->kind == AST_STMT_WHILE || s->kind == AST_STMT_DO ||
               s->kind == AST_STMT_SWITCH;
    bool inner = breaks && !own;
    bool found = ends(s->expr, depth) || ends(s->step, depth) || leaves(s->init, inner, depth) ||
                 leaves(s->body, inner, depth) || leaves(s->other, inner, depth);
    for (uint32_t i = 0; i < s->n_items && !found; i++)
        found = leaves(s->items[i], inner, depth);
    return found;
}

/* May what follows the statement in its block be left out? */
static bool jumps(const struct ast_stmt *s)
{
    if (!s)
        return false;
    if (s->kind == AST_STMT_CONTINUE || s->kind == AST_STMT_LABEL || leaves(s, true, 0))
        return true;
    bool found = jumps(s->body) || jumps(s->other);
    for (uint32_t i = 0; i < s->n_items && !found; i++)
        found = jumps(s->items[i]);
    return found;
}

/* ---- counters ------------------------------------------------------------------------------- */

static bool is_step(const struct ast_expr *e, const struct ast_var *v, ast_int *step)
{
    if (!e || !e->a || e->a->kind != AST_VAR || e->a->var != v ||
        (e->op != C_ADD && e->op != C_SUB))
        return false;
    *step = 1;
    if (e->kind == AST_COMPOUND && !constant(e->b, step))
        return false;
    if (e->op == C_SUB)
        *step = -*step;
    return e->kind == AST_COMPOUND || e->kind == AST_INCDEC;
}

/* The one update, in the header or for everybody in the body. */
static bool find_step(const struct ast_stmt *s, const struct ast_var *v, ast_int *step)
{
    if (writes_in(s->expr, v) + writes_in(s->step, v) + writes(s->body, v) != 1)
        return false;
    if (is_step(s->step, v, step))
        return true;
    const struct ast_stmt *b = s->body;
    if (b && b->kind == AST_STMT_EXPR && is_step(b->expr, v, step))
        return true;
    for (uint32_t i = 0; b && b->kind == AST_STMT_BLOCK && i < b->n_items; i++)
        if (b->items[i]->kind == AST_STMT_EXPR && is_step(b->items[i]->expr, v, step))
            return true;
    return false;
}

static bool find_counter(const struct ast_stmt *s, struct counter *c)
{
    const struct ast_expr *e = plain(s->expr);
    if (s->kind == AST_STMT_DO || !e || e->kind != AST_BINARY)
        return false;
    *c = (struct counter){.var = loaded_var(e->a), .rel = e->op, .bound = e->b};
    bool local = c->var && (c->var->kind == AST_VAR_LOCAL || c->var->kind == AST_VAR_PARAM);
    if (!local || !find_step(s, c->var, &c->step))
        return false;
    return ((c->rel == C_LT || c->rel == C_LE) && c->step > 0) ||
           ((c->rel == C_GT || c->rel == C_GE) && c->step < 0) ||
           (c->rel == C_NE && (c->step == 1 || c->step == -1));
}

static uint64_t count(const struct counter *c, ast_int from, ast_int to)
{
    ast_int way = c->step > 0 ? to - from : from - to, step = c->step > 0 ? c->step : -c->step;
    if (c->rel == C_LE || c->rel == C_GE)
        way++;
    if (way <= 0)
        return 0;
    ast_int n = (way + step - 1) / step;
    return n > (ast_int)(UINT64_MAX / 2) ? UINT64_MAX / 2 : (uint64_t)n;
}

/* ---- what is sure to be run ------------------------------------------------------------------ */

static uint64_t rounds_in(const struct ast_stmt *s, unsigned depth);

static uint64_t rounds_of_calls(const struct ast_expr *e, unsigned depth)
{
    if (!e || e->kind == AST_AND || e->kind == AST_OR || e->kind == AST_COND || depth >= DEPTH_MAX)
        return 0;
    uint64_t n = plus(rounds_of_calls(e->a, depth), rounds_of_calls(e->b, depth));
    for (uint64_t i = 0; e->kind == AST_CALL && i < e->n_args; i++)
        n = plus(n, rounds_of_calls(e->args[i], depth));
    return e->kind == AST_CALL && !e->callee->recursive
               ? plus(n, rounds_in(e->callee->body, depth + 1))
               : n;
}

/* The constant that the header gives the variable. */
static bool starts_at(const struct ast_stmt *init, const struct ast_var *v, ast_int *from)
{
    if (!init)
        return false;
    if (init->kind == AST_STMT_DECL)
        return init->var == v && constant(init->expr, from);
    if (init->kind == AST_STMT_EXPR && init->expr->kind == AST_ASSIGN)
        return init->expr->a->kind == AST_VAR && init->expr->a->var == v &&
               constant(init->expr->b, from);
    for (uint32_t i = 0; i < init->n_items; i++)
        if (starts_at(init->items[i], v, from))
            return true;
    return false;
}

static uint64_t rounds_of_loop(const struct ast_stmt *s, unsigned depth)
{
    struct counter c;
    ast_int from, to;
    if (!find_counter(s, &c) || !starts_at(s->init, c.var, &from) || !constant(c.bound, &to) ||
        leaves(s->body, true, 0))
        return 0;
    return times(count(&c, from, to), plus(1, rounds_in(s->body, depth)));
}

static uint64_t rounds_in(const struct ast_stmt *s, unsigned depth)
{
    uint64_t n = 0;
    if (!s || depth >= DEPTH_MAX)
        return 0;
    switch (s->kind) {
    case AST_STMT_EXPR:
    case AST_STMT_DECL:
    case AST_STMT_RETURN:
        return rounds_of_calls(s->expr, depth);
    case AST_STMT_FOR:
    case AST_STMT_WHILE:
        return rounds_of_loop(s, depth);
    case AST_STMT_BLOCK:
        for (uint32_t i = 0; i < s->n_items; i++) {
            n = plus(n, rounds_in(s->items[i], depth));
            if (jumps(s->items[i]))
                break;
        }
        return n;
    default:
        return 0;
    }
}

/* ---- the loop at hand ------------------------------------------------------------------------ */

/* What a local holds now.  False: not one value that is known. */
static bool value_of(struct sx_exec *x, const struct ast_var *v, struct fact_range *out)
{
    sx_value now = env_get(&x->pool, x->st.locals, x->frame->base[v->id]);
    if (v->type->kind != AST_INT || now & SX_POINTER_TAG)
        return false;
    *out = facts_range(&x->facts, now);
    return true;
}

static bool bound_of(struct sx_exec *x, const struct ast_stmt *s, const struct ast_expr *e,
                     struct fact_range *out)
{
    const struct ast_var *v = loaded_var(e);
    ast_int value;
    if (constant(e, &value)) {
        *out = (struct fact_range){value, value};
        return true;
    }
    return v && (v->kind == AST_VAR_LOCAL || v->kind == AST_VAR_PARAM) && !writes(s->body, v) &&
           !writes_in(s->step, v) && value_of(x, v, out);
}

struct sx_rounds sx_rounds(struct sx_exec *x, const struct ast_stmt *loop)
{
    struct sx_rounds r = {.way_out = leaves(loop->body, true, 0) || ends(loop->expr, 0) ||
                                     ends(loop->step, 0)};
    struct counter c;
    struct fact_range from, to;
    if (!find_counter(loop, &c) || !value_of(x, c.var, &from) || !bound_of(x, loop, c.bound, &to))
        return r;
    r.counted = true;
    bool up = c.step > 0;
    r.least = count(&c, up ? from.hi : from.lo, up ? to.lo : to.hi);
    r.most = count(&c, up ? from.lo : from.hi, up ? to.hi : to.lo);
    if (from.lo != from.hi || to.lo != to.hi)
        r.least = 0;
    if (r.least)
        r.inside = rounds_in(loop->body, 0);
    return r;
}
