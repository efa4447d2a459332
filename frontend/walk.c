/* Traversal of the tree. */
#include "frontend/walk.h"

static void walk_expr(struct ast_expr *e, walk_fn fn, void *arg)
{
    if (!e)
        return;
    fn(arg, e);
    walk_expr(e->a, fn, arg);
    walk_expr(e->b, fn, arg);
    walk_expr(e->c, fn, arg);
    for (uint64_t i = 0; i < e->n_args; i++)
        if (i == 0 || e->args[i] != e->args[i - 1]) /* zeros of an array are shared */
            walk_expr(e->args[i], fn, arg);
}

void walk_fulls(struct ast_stmt *s, walk_fn fn, void *arg)
{
    if (!s)
        return;
    walk_fulls(s->init, fn, arg);
    if (s->kind == AST_STMT_DO)
        walk_fulls(s->body, fn, arg);
    if (s->expr)
        fn(arg, s->expr);
    if (s->step)
        fn(arg, s->step);
    if (s->kind != AST_STMT_DO)
        walk_fulls(s->body, fn, arg);
    walk_fulls(s->other, fn, arg);
    for (uint32_t i = 0; i < s->n_items; i++)
        walk_fulls(s->items[i], fn, arg);
}

struct inner {
    walk_fn fn;
    void *arg;
};

static void walk_inner(void *arg, struct ast_expr *e)
{
    struct inner *w = arg;
    walk_expr(e, w->fn, w->arg);
}

void walk_exprs(struct ast_stmt *s, walk_fn fn, void *arg)
{
    struct inner w = {fn, arg};
    walk_fulls(s, walk_inner, &w);
}
