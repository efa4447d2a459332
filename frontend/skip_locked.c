/* skip_locked: the last condition of a loop over a whole dimension that finds the first row.
 *
 * `for (int i = 0; i < D; i++) if (… && skip_locked(t[i])) { k = i; break; }` is one SELECT … LIMIT
 * 1 FOR UPDATE SKIP LOCKED.  The loop gets to know its skip_locked; any other one is refused. */
#include "frontend/build.h"
#include "frontend/walk.h"

/* What is all of this statement, without the blocks around it. */
static struct ast_stmt *only(struct ast_stmt *s)
{
    while (s && s->kind == AST_STMT_BLOCK && s->n_items == 1)
        s = s->items[0];
    return s;
}

static bool leaves(const struct ast_stmt *s)
{
    while (s && s->kind == AST_STMT_BLOCK)
        s = s->n_items ? s->items[s->n_items - 1] : NULL;
    return s && (s->kind == AST_STMT_BREAK || s->kind == AST_STMT_RETURN);
}

static struct ast_expr *last_condition(struct ast_expr *e)
{
    while (e->kind == AST_AND || e->kind == AST_CAST)
        e = e->kind == AST_AND ? e->b : e->a;
    return e;
}

/* Is an index of the row the variable? */
static bool names(const struct ast_expr *row, const struct ast_var *v)
{
    for (; row->kind == AST_INDEX || row->kind == AST_FIELD; row = row->a) {
        const struct ast_expr *e = row->kind == AST_INDEX ? row->b : NULL;
        while (e && e->kind == AST_CAST)
            e = e->a;
        if (e && e->kind == AST_LOAD && e->a->kind == AST_VAR && e->a->var == v)
            return true;
    }
    return false;
}

static void find(struct ast_stmt *s)
{
    if (!s)
        return;
    struct ast_stmt *test = s->kind == AST_STMT_FOR && s->fold ? only(s->body) : NULL;
    if (test && test->kind == AST_STMT_IF && !test->other && leaves(test->body)) {
        struct ast_expr *last = last_condition(test->expr);
        if (last->kind == AST_BUILTIN && last->builtin == AST_SKIP_LOCKED &&
            names(last->args[0], s->fold->index)) {
            s->fold->skip = last;
            last->var = s->fold->index;
        }
    }
    find(s->body);
    find(s->other);
    for (uint32_t i = 0; i < s->n_items; i++)
        find(s->items[i]);
}

static bool is_known(const struct ast_stmt *s, const struct ast_expr *e)
{
    if (!s)
        return false;
    bool known = (s->kind == AST_STMT_FOR && s->fold && s->fold->skip == e) ||
                 is_known(s->body, e) || is_known(s->other, e);
    for (uint32_t i = 0; i < s->n_items && !known; i++)
        known = is_known(s->items[i], e);
    return known;
}

struct check {
    struct builder *b;
    const struct ast_func *f;
};

static void check(void *arg, struct ast_expr *e)
{
    const struct check *c = arg;
    if (e->kind == AST_BUILTIN && e->builtin == AST_SKIP_LOCKED && !is_known(c->f->body, e))
        refuse(c->b, e->loc, REFUSE_SKIP_PLACE);
}

void fe_find_skips(struct builder *b)
{
    for (size_t i = 0; i < b->funcs.len; i++) {
        struct check c = {b, b->funcs.data[i]};
        find(b->funcs.data[i]->body);
        walk_exprs(b->funcs.data[i]->body, check, &c);
    }
}
