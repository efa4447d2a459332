/* Uses of a variable as an index, in its function and in the helpers that it is handed to. */
#include "frontend/index_uses.h"

#include "base/vec.h"
#include "frontend/walk.h"

struct search {
    const struct ast_var *v;
    index_fn fn;
    void *arg;
    const struct ast_expr *changed;
    VEC(const struct ast_var *) todo; /* v, and parameters that it is handed on to */
    VEC(struct ast_stmt *) bodies;    /* in step: where each of them lives */
};

/* A conversion to a type that is no narrower, or that holds an int, keeps every index: an index is
 * not negative, and the number of rows is an int. */
const struct ast_expr *index_stripped(const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_INT && e->a->type->kind == AST_INT &&
           (e->type->width >= 32 || e->type->width >= e->a->type->width))
        e = e->a;
    return e;
}

static bool is_itself(const struct ast_expr *e, const struct ast_var *v)
{
    e = index_stripped(e);
    return e->kind == AST_LOAD && e->a->kind == AST_VAR && e->a->var == v;
}

const struct ast_var *index_root(const struct ast_expr *place)
{
    while (place->kind == AST_INDEX || place->kind == AST_FIELD)
        place = place->a;
    return place->kind == AST_VAR ? place->var : NULL;
}

static void find_change(void *arg, struct ast_expr *e)
{
    struct search *s = arg;
    bool changes = e->kind == AST_ASSIGN || e->kind == AST_COMPOUND || e->kind == AST_INCDEC ||
                   e->kind == AST_ADDR;
    if (changes && !s->changed && index_root(e->a) == s->v)
        s->changed = e;
}

const struct ast_expr *index_changed(struct ast_stmt *s, const struct ast_var *v)
{
    struct search search = {.v = v};
    walk_exprs(s, find_change, &search);
    return search.changed;
}

/* Follow the variable into a helper, unless that has been done. */
static void hand_on(struct search *s, struct ast_func *callee, uint64_t i)
{
    const struct ast_var *param = callee->params[i];
    for (size_t k = 0; k < s->todo.len; k++)
        if (s->todo.data[k] == param)
            return;
    if (index_changed(callee->body, param))
        return;
    vec_push(&s->todo, param);
    vec_push(&s->bodies, callee->body);
}

static void find_uses(void *arg, struct ast_expr *e)
{
    struct search *s = arg;
    if (e->kind == AST_INDEX && is_itself(e->b, s->v))
        s->fn(s->arg, e);
    if (e->kind == AST_CALL && e->callee->role != AST_TRANSACTION)
        for (uint64_t i = 0; i < e->n_args; i++)
            if (is_itself(e->args[i], s->v))
                hand_on(s, e->callee, i);
}

void index_uses(struct ast_stmt *stmt, const struct ast_var *v, index_fn fn, void *arg)
{
    struct search s = {.fn = fn, .arg = arg};
    vec_push(&s.todo, v);
    vec_push(&s.bodies, stmt);
    for (size_t i = 0; i < s.todo.len; i++) {
        s.v = s.todo.data[i];
        walk_exprs(s.bodies.data[i], find_uses, &s);
    }
    vec_free(&s.todo);
    vec_free(&s.bodies);
}
