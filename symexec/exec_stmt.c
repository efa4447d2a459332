/* Statements.  A jump adds the state to a join and leaves no current executions; the statements
 * after it are skipped until a join brings executions back. */
#include <assert.h>
#include <limits.h>

#include "base/limit.h"
#include "symexec/fold.h"
#include "symexec/rounds.h"

/* However constant a loop looks, it ends here. */
#define ITERATIONS_MAX (UINT64_C(1) << 20)
/* Nobody waits for a loop that is unrolled more often. */
#define UNWIND_SENSIBLE 1000

static void run_discarded(struct sx_exec *x, const struct ast_expr *e)
{
    sx_eval_into(x, e, arena_array(&x->scratch, sx_value, sx_cells(x, e->type) + 1));
}

/* ---- storage ------------------------------------------------------------------------------- */

struct naming {
    struct sx_exec *x;
    const struct ast_var *var;
    uint32_t n; /* scalars so far */
};

static void fill_scalar(void *arg, const struct ast_type *t, const char *path)
{
    struct naming *n = arg;
    struct sx_exec *x = n->x;
    sx_value v;
    if (t->kind == AST_POINTER) /* always assigned before use */
        v = sx_pointer(x, (struct sx_place){0});
    else
        v = sx_input(x, SX_UNINIT, t, n->var->loc,
                     arena_printf(&x->scratch, "uninitialised %s", path),
                     sx_context_key(x->context, SX_CONTEXT_VARIABLE, n->var->id, n->n));
    env_set(&x->pool, &x->st.locals, x->frame->base[n->var->id] + n->n++, v);
}

/* Any value, different for every scalar. */
static void fill_uninitialised(struct sx_exec *x, const struct ast_var *v)
{
    struct naming n = {x, v, 0};
    if (!sx_stopped(x))
        sx_each_scalar(v->type, v->name, &x->scratch, fill_scalar, &n);
}

static void allocate(struct sx_exec *x, const struct ast_var *v)
{
    uint32_t n = sx_cells(x, v->type);
    if (x->sp + n >= ENV_CELLS) {
        diag_add(x->diags, DIAG_ERROR, v->loc, "the locals take more than %u scalars",
                 (unsigned)ENV_CELLS);
        x->failed = true;
        return;
    }
    x->frame->base[v->id] = x->sp;
    x->sp += n;
}

static void declare(struct sx_exec *x, const struct ast_stmt *s)
{
    const struct ast_var *v = s->var;
    uint32_t n = sx_cells(x, v->type), base = x->frame->base[v->id];
    if (!s->expr) {
        fill_uninitialised(x, v);
        return;
    }
    sx_value *values = arena_array(&x->scratch, sx_value, n + 1);
    sx_eval_into(x, s->expr, values);
    for (uint32_t i = 0; i < n && !sx_stopped(x); i++)
        env_set(&x->pool, &x->st.locals, base + i, values[i]);
}

/* ---- blocks, labels, switch ---------------------------------------------------------------- */

static bool has_labels(const struct ast_stmt *s)
{
    for (uint32_t i = 0; i < s->n_items; i++)
        if (s->items[i]->kind == AST_STMT_LABEL)
            return true;
    return false;
}

/* In a body that can be entered in the middle, a declaration may be jumped over: its variable then
 * has any value.  So all of them get storage and such a value on entry. */
static void allocate_all(struct sx_exec *x, const struct ast_stmt *s)
{
    for (uint32_t i = 0; i < s->n_items && !x->failed; i++) {
        if (s->items[i]->kind == AST_STMT_DECL) {
            allocate(x, s->items[i]->var);
            fill_uninitialised(x, s->items[i]->var);
        }
    }
}

static void open_labels(struct sx_exec *x, const struct ast_stmt *s)
{
    for (uint32_t i = s->n_items; i-- > 0;) { /* the first label on top */
        if (s->items[i]->kind != AST_STMT_LABEL)
            continue;
        uint64_t *join = map_put(&x->labels, s->items[i]->id, 0, NULL);
        size_t saved = (size_t)*join;
        *join = sx_join_open(x);
        x->joins.data[*join].saved = saved;
    }
}

static void close_label(struct sx_exec *x, const struct ast_stmt *label)
{
    *map_get(&x->labels, label->id) = vec_last(&x->joins).saved;
    sx_join_close(x);
}

static void exec_item(struct sx_exec *x, const struct ast_stmt *s, bool allocated)
{
    if (s->kind == AST_STMT_DECL) {
        if (!allocated)
            allocate(x, s->var);
        declare(x, s);
    } else {
        sx_exec_stmt(x, s);
    }
}

static void exec_block(struct sx_exec *x, const struct ast_stmt *s)
{
    uint32_t sp = x->sp;
    bool labels = has_labels(s);
    if (labels) {
        allocate_all(x, s);
        open_labels(x, s);
    }
    for (uint32_t i = 0; i < s->n_items && !x->failed; i++) {
        if (s->items[i]->kind == AST_STMT_LABEL)
            close_label(x, s->items[i]);
        else if (labels || !sx_stopped(x))
            exec_item(x, s->items[i], labels);
    }
    x->sp = sp;
}

struct selection {
    term_id value;
    term_id none; /* no case matches */
    struct sx_state head;
    size_t mark;
};

/* The executions that select this case join those that fall through. */
static void enter_case(struct sx_exec *x, struct selection *sel, term_id match)
{
    struct sx_state in = sx_fork(x, &sel->head);
    facts_undo(&x->facts, sel->mark);
    match = facts_fold(&x->facts, match);
    in.live = term_and(x->store, sel->head.live, match);
    if (in.live == TERM_FALSE)
        return;
    sx_merge(x, in);
    facts_add(&x->facts, x->st.live);
}

static term_id matches(struct sx_exec *x, struct selection *sel, ast_int value)
{
    return term_eq(x->store, sel->value, term_const(x->store, value));
}

static term_id no_case(struct sx_exec *x, const struct ast_stmt *s, struct selection *sel)
{
    term_id none = TERM_TRUE;
    for (uint32_t i = 0; i < s->n_items; i++)
        if (s->items[i]->kind == AST_STMT_CASE)
            none =
                term_and(x->store, none, term_not(x->store, matches(x, sel, s->items[i]->value)));
    return none;
}

static void exec_cases(struct sx_exec *x, const struct ast_stmt *s, struct selection *sel)
{
    bool has_default = false;
    for (uint32_t i = 0; i < s->n_items && !x->failed; i++) {
        const struct ast_stmt *item = s->items[i];
        if (item->kind == AST_STMT_CASE) {
            enter_case(x, sel, matches(x, sel, item->value));
        } else if (item->kind == AST_STMT_DEFAULT) {
            has_default = true;
            enter_case(x, sel, sel->none);
        } else if (item->kind == AST_STMT_LABEL) {
            close_label(x, item);
        } else {
            exec_item(x, item, true);
        }
    }
    if (!has_default)
        enter_case(x, sel, sel->none);
}

static void exec_switch(struct sx_exec *x, const struct ast_stmt *s)
{
    uint32_t sp = x->sp;
    struct selection sel = {.value = sx_eval(x, s->expr)};
    if (sx_stopped(x))
        return;
    allocate_all(x, s);
    size_t outer = x->break_join;
    x->break_join = sx_join_open(x);
    open_labels(x, s);
    sel.mark = facts_mark(&x->facts);
    sel.none = no_case(x, s, &sel);
    sel.head = x->st;
    x->st.live = TERM_FALSE; /* nobody is in the body before the first case */
    exec_cases(x, s, &sel);
    sx_join_close(x);
    x->break_join = outer;
    x->sp = sp;
}

/* ---- loops --------------------------------------------------------------------------------- */

struct loop {
    const struct ast_stmt *s;
    unsigned symbolic;
    uint64_t rounds; /* begun so far */
    bool endless;    /* the condition is missing, a literal or absurd: only a jump ends the loop */
};

static bool is_literal(const struct ast_expr *e)
{
    while (e && e->kind == AST_CAST)
        e = e->a;
    return !e || e->kind == AST_CONST;
}

/* The points made since there were n of them have other advice than to raise --unwind. */
static void advise(struct sx_exec *x, size_t n, const char *advice)
{
    for (; n < x->points.len; n++)
        x->points.data[n].advice = advice;
}

static const char *advice_of(struct sx_exec *x, const struct loop *l)
{
    struct sx_rounds r = sx_rounds(x, l->s);
    uint64_t most = r.most ? r.most + l->rounds : 0;
    if (!most)
        return NULL;
    if (most > UNWIND_SENSIBLE)
        return arena_printf(x->arena, "and %llu are possible: bound them with assume",
                            (unsigned long long)most);
    return arena_printf(x->arena, "and %llu are possible: raise --unwind to %llu",
                        (unsigned long long)most, (unsigned long long)r.most + x->unwind);
}

static void unwound(struct sx_exec *x, const struct loop *l, term_id cond)
{
    const char *text = arena_printf(x->arena, "the loop ends within %u iterations", x->unwind);
    const char *advice = advice_of(x, l);
    size_t n = x->points.len;
    sx_require(x, SX_UNWIND, cond, l->s->loc, text);
    advise(x, n, advice);
}

/* A number of rounds that is known and absurd, before the first of them. */
static void look_ahead(struct sx_exec *x, struct loop *l)
{
    struct sx_rounds r = sx_rounds(x, l->s);
    bool alone = r.least > ITERATIONS_MAX;
    if (!alone && (!r.least || r.inside < ITERATIONS_MAX / r.least))
        return;
    if (r.way_out) {
        l->endless |= alone;
        return;
    }
    const char *inside = "";
    if (!alone)
        inside =
            arena_printf(&x->scratch, ", with at least %llu rounds of the loops in it each time",
                         (unsigned long long)r.inside);
    diag_add(
        x->diags, DIAG_ERROR, l->s->loc,
        "this loop goes round %llu times%s; loops are unrolled, and %llu rounds in all are the "
        "most",
        (unsigned long long)r.least, inside, (unsigned long long)ITERATIONS_MAX);
    x->failed = true;
}

static bool may_go_on(struct sx_exec *x, struct loop *l)
{
    if (limit_reached() || x->failed) {
        x->failed = true;
        return false;
    }
    if (++x->iterations > ITERATIONS_MAX) {
        size_t n = x->points.len;
        sx_require(x, SX_UNWIND, TERM_FALSE, l->s->loc,
                   arena_printf(x->arena, "the loops end within %llu iterations in all",
                                (unsigned long long)ITERATIONS_MAX));
        advise(x, n,
               l->endless && !sx_rounds(x, l->s).way_out
                   ? "since nothing leaves this one"
                   : "and no more are unrolled, whatever --unwind is");
        return false;
    }
    l->rounds++;
    return !sx_stopped(x);
}

/* Evaluate the loop's condition; those for whom it is false leave.  False: nobody goes on. */
static bool loop_condition(struct sx_exec *x, struct loop *l)
{
    term_id c = l->s->expr ? sx_eval_cond(x, l->s->expr) : TERM_TRUE;
    if (sx_stopped(x) || c == TERM_FALSE)
        return false;
    if (c == TERM_TRUE) {
        if (l->endless && x->st.live != TERM_TRUE && ++l->symbolic > x->unwind)
            unwound(x, l, TERM_FALSE);
        return !sx_stopped(x);
    }
    term_id leave = term_not(x->store, c);
    if (++l->symbolic > x->unwind) {
        unwound(x, l, leave);
        return false; /* whoever is still here leaves the loop */
    }
    sx_jump(x, x->break_join, leave);
    facts_add(&x->facts, c);
    return true;
}

void sx_loop_body(struct sx_exec *x, const struct ast_stmt *s)
{
    size_t outer = x->continue_join;
    x->continue_join = sx_join_open(x);
    sx_exec_stmt(x, s->body);
    sx_join_close(x);
    x->continue_join = outer;
}

static void say_loop(const struct sx_exec *x, const struct ast_stmt *s)
{
    limit_phase("unrolling the loop at %s:%u in %s", diag_file_name(x->diags, s->loc.file),
                s->loc.line, x->frame->func->name);
}

static bool is_fold(const struct ast_stmt *s)
{
    return s->fold && !s->fold->refuted;
}

/* The outermost fold or ATOMIC is a statement, with one visible set for all its reads.  The header
 * of a fold reads nothing of the database. */
static void begin_fold(struct sx_exec *x, const struct ast_stmt *s)
{
    if (x->folds++)
        return;
    x->statement = ++x->statements;
    x->statement_key = sx_context_key(x->context, SX_CONTEXT_FOLD, s->id, 0);
    x->fold_set = (uint32_t)x->reads.len;
}

/* Is the fold that is about to begin a term?  Its index has its first value. */
static bool is_term(struct sx_exec *x, const struct ast_stmt *s, term_id *lo, term_id *hi)
{
    if (!is_fold(s) || x->program->options.folds != SX_FOLDS_TERMS || sx_stopped(x))
        return false;
    *lo = env_get(&x->pool, x->st.locals, x->frame->base[s->fold->index->id]);
    *hi = sx_extent(x, s->fold->size);
    if (!term_is_const(x->store, *hi))
        return true;
    struct fact_range from = facts_range(&x->facts, *lo);
    term_int end = term_get(x->store, *hi)->lo;
    return !x->unrolled[s->id] && end - from.lo > SX_FOLD_SMALL && from.lo >= INT_MIN &&
           end <= INT_MAX;
}

static void unroll(struct sx_exec *x, const struct ast_stmt *s)
{
    struct loop l = {.s = s, .endless = is_literal(s->expr)};
    bool shown = is_fold(s) && sx_is_shown(x, s->fold->size);
    say_loop(x, s);
    if (!shown)
        look_ahead(x, &l);
    size_t outer = x->break_join;
    uint64_t context = x->context, n = 0;
    x->break_join = sx_join_open(x);
    if (shown)
        sx_shown_rounds(x, s);
    x->context = sx_context_key(context, SX_CONTEXT_ITERATION, s->id, n);
    bool go = !shown && (s->kind == AST_STMT_DO || loop_condition(x, &l));
    while (go && may_go_on(x, &l)) {
        sx_loop_body(x, s);
        if (s->step && !sx_stopped(x))
            run_discarded(x, s->step);
        x->context = sx_context_key(context, SX_CONTEXT_ITERATION, s->id, ++n);
        go = !sx_stopped(x) && loop_condition(x, &l);
    }
    x->context = context;
    sx_join_close(x);
    x->break_join = outer;
}

/* Which rows others have locked is not known, so the first row that fits and is not locked is any
 * row that fits, or none: a choice, made once for the loop. */
static void choose_row(struct sx_exec *x, const struct ast_stmt *s)
{
    const struct ast_expr *e = s->fold->skip;
    const char *name =
        arena_printf(&x->scratch, "row of %s at %u:%u", sx_text(x, e), e->loc.line, e->loc.col);
    x->choice = sx_input(x, SX_NONDET, s->fold->index->type, e->loc, name,
                         sx_context_key(x->context, SX_CONTEXT_EXPR, e->id, 0));
}

static void exec_loop(struct sx_exec *x, const struct ast_stmt *s)
{
    term_id choice = x->choice;
    uint32_t sp = x->sp, statement = x->statement;
    uint64_t statement_key = x->statement_key;
    term_id lo, hi;
    if (is_fold(s))
        begin_fold(x, s);
    if (s->fold && s->fold->skip)
        choose_row(x, s);
    if (s->kind == AST_STMT_FOR && s->init) {
        if (s->init->kind ==
            AST_STMT_BLOCK) /* several declarators: they live as long as the loop */
            for (uint32_t i = 0; i < s->init->n_items; i++)
                exec_item(x, s->init->items[i], false);
        else
            exec_item(x, s->init, false);
    }
    if (is_term(x, s, &lo, &hi))
        sx_fold_execute(x, s, lo, hi);
    else
        unroll(x, s);
    x->sp = sp;
    x->choice = choice;
    if (is_fold(s)) {
        x->folds--;
        x->statement = statement;
        x->statement_key = statement_key;
    }
    limit_phase("executing %s", x->frame->func->name);
}

/* ---- all ----------------------------------------------------------------------------------- */

static void exec_if(struct sx_exec *x, const struct ast_stmt *s)
{
    term_id c = sx_eval_cond(x, s->expr);
    if (sx_stopped(x))
        return;
    if (c == TERM_TRUE || c == TERM_FALSE) {
        const struct ast_stmt *taken = c == TERM_TRUE ? s->body : s->other;
        if (taken)
            sx_exec_stmt(x, taken);
        return;
    }
    struct sx_branch br;
    sx_branch_then(x, &br, c);
    sx_exec_stmt(x, s->body);
    sx_branch_else(x, &br);
    if (s->other)
        sx_exec_stmt(x, s->other);
    sx_branch_join(x, &br);
}

static void exec_return(struct sx_exec *x, const struct ast_stmt *s)
{
    if (s->expr) {
        uint32_t n = sx_cells(x, s->expr->type);
        sx_value *v = arena_array(&x->scratch, sx_value, n + 1);
        sx_eval_into(x, s->expr, v);
        for (uint32_t i = 0; i < n && !sx_stopped(x); i++)
            env_set(&x->pool, &x->st.locals, x->frame->result + i, v[i]);
    }
    sx_jump(x, x->frame->join, TERM_TRUE);
}

static void exec_session(struct sx_exec *x, const struct ast_stmt *s)
{
    x->session = ++x->sessions;
    sx_exec_stmt(x, s->body);
    x->session = 0;
}

static void exec_atomic(struct sx_exec *x, const struct ast_stmt *s)
{
    uint32_t statement = x->statement;
    uint64_t statement_key = x->statement_key;
    begin_fold(x, s);
    if (sx_is_database(x->program->options.reads) && x->role == AST_TRANSACTION)
        x->updates = s->atomic;
    sx_exec_stmt(x, s->body);
    x->updates = NULL;
    x->folds--;
    x->statement = statement;
    x->statement_key = statement_key;
}

void sx_exec_stmt(struct sx_exec *x, const struct ast_stmt *s)
{
    if (sx_stopped(x)) /* nobody can jump into a statement from outside */
        return;
    if (sx_atomic_part(x, s))
        return;
    switch (s->kind) {
    case AST_STMT_EXPR:
        run_discarded(x, s->expr);
        return;
    case AST_STMT_DECL:
        exec_item(x, s, false);
        return;
    case AST_STMT_BLOCK:
        exec_block(x, s);
        return;
    case AST_STMT_IF:
        exec_if(x, s);
        return;
    case AST_STMT_SWITCH:
        exec_switch(x, s);
        return;
    case AST_STMT_WHILE:
    case AST_STMT_DO:
    case AST_STMT_FOR:
        exec_loop(x, s);
        return;
    case AST_STMT_BREAK:
        sx_jump(x, x->break_join, TERM_TRUE);
        return;
    case AST_STMT_CONTINUE:
        sx_jump(x, x->continue_join, TERM_TRUE);
        return;
    case AST_STMT_RETURN:
        exec_return(x, s);
        return;
    case AST_STMT_GOTO:
        sx_jump(x, (size_t)*map_get(&x->labels, s->target->id), TERM_TRUE);
        return;
    case AST_STMT_SESSION:
        exec_session(x, s);
        return;
    case AST_STMT_ATOMIC:
        exec_atomic(x, s);
        return;
    case AST_STMT_CASE:
    case AST_STMT_DEFAULT:
    case AST_STMT_LABEL:
    case AST_STMT_EMPTY:
        return;
    }
}
