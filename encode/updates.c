/* How a program updates rows; updates.h says what for. */
#include "encode/updates.h"

#include <string.h>

/* ---- rows by their text -------------------------------------------------------------------- */

/* The place of the row that a place lies in: dimensions are kept, what is inside the row is not. */
static const struct ast_expr *row_of(const struct ast_expr *place)
{
    const struct ast_expr *base = place, *row = place;
    uint32_t indices = 0;
    while (base->kind == AST_INDEX || base->kind == AST_FIELD)
        base = base->a;
    if (base->kind != AST_VAR || base->var->kind != AST_VAR_DATABASE)
        return base;
    for (const struct ast_expr *e = place; e != base; e = e->a)
        indices += e->kind == AST_INDEX;
    /* Fields and indices alternate in any order behind the dimensions, which come first. */
    for (; row != base; row = row->a) {
        bool inside = row->kind == AST_FIELD || indices > base->var->n_dims;
        indices -= row->kind == AST_INDEX;
        if (!inside)
            break;
    }
    return row;
}

/* May the place lie in the database?  Who knows where a pointer points. */
static bool in_database(const struct ast_expr *place)
{
    while (place->kind == AST_INDEX || place->kind == AST_FIELD)
        place = place->a;
    return place->kind == AST_DEREF || place->var->kind == AST_VAR_DATABASE;
}

/* Surely the same value in one evaluation: the same text, made of constants and locals. */
static bool same(const struct ast_expr *a, const struct ast_expr *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case AST_VAR:
        return a->var == b->var;
    case AST_CONST:
        return a->value == b->value;
    case AST_LOAD:
        return !in_database(a->a) && same(a->a, b->a);
    case AST_CAST:
    case AST_ADDR:
    case AST_DEREF:
        return a->type == b->type && same(a->a, b->a);
    case AST_FIELD:
        return a->field == b->field && same(a->a, b->a);
    case AST_INDEX:
        return same(a->a, b->a) && same(a->b, b->b);
    case AST_UNARY:
        return a->op == b->op && same(a->a, b->a);
    case AST_BINARY:
        return a->op == b->op && same(a->a, b->a) && same(a->b, b->b);
    default:
        return false;
    }
}

/* ---- one statement ------------------------------------------------------------------------- */

/* What a full expression does, without the statements of functions that it calls: these are
 * statements of their own, but what they return was read. */
struct effects {
    VEC(const struct ast_expr *) reads, writes; /* places of rows */
    bool calls;                                 /* a function that reads or writes rows */
};

static void collect(const struct ast_expr *e, struct effects *out)
{
    if (!e)
        return;
    bool update = e->kind == AST_COMPOUND || e->kind == AST_INCDEC;
    if ((update || e->kind == AST_ASSIGN) && in_database(e->a))
        vec_push(&out->writes, row_of(e->a));
    if ((update || e->kind == AST_LOAD) && in_database(e->a))
        vec_push(&out->reads, row_of(e->a));
    if (e->kind == AST_CALL)
        out->calls |= e->callee->reads || e->callee->writes;
    collect(e->a, out);
    collect(e->b, out);
    collect(e->c, out);
    for (uint64_t i = 0; i < e->n_args && (e->kind == AST_CALL || e->kind == AST_BUILTIN); i++)
        collect(e->args[i], out);
    for (uint64_t i = 0; i < e->n_args && e->kind == AST_INIT; i++)
        if (i == 0 || e->args[i] != e->args[i - 1]) /* trailing zeros are shared */
            collect(e->args[i], out);
}

static void look_at(const struct ast_expr *e, struct updates *u)
{
    struct effects f = {0};
    collect(e, &f);
    u->reading |= f.writes.len && (f.reads.len || f.calls);
    u->wider |= f.writes.len && f.calls;
    for (size_t w = 0; w < f.writes.len; w++)
        for (size_t r = 0; r < f.reads.len; r++)
            u->wider |= !same(f.writes.data[w], f.reads.data[r]);
    vec_free(&f.reads);
    vec_free(&f.writes);
}

/* ---- the program --------------------------------------------------------------------------- */

static void walk(const struct ast_stmt *s, struct updates *u)
{
    if (!s)
        return;
    look_at(s->expr, u);
    look_at(s->step, u);
    walk(s->init, u);
    walk(s->body, u);
    walk(s->other, u);
    for (uint32_t i = 0; i < s->n_items; i++)
        walk(s->items[i], u);
}

struct updates updates_of(const struct sx_program *p)
{
    struct updates u = {0};
    for (uint32_t i = 0; i < p->ast->n_funcs; i++)
        if (p->ast->funcs[i]->role == AST_TRANSACTION || p->ast->funcs[i]->role == AST_HELPER)
            walk(p->ast->funcs[i]->body, &u);
    for (uint32_t i = 0; i < p->n_txns; i++) {
        u.locks |= p->txns[i]->n_locks > 0;
        for (size_t w = 0; w < p->txns[i]->n_writes; w++)
            u.columns |= p->tables[p->txns[i]->writes[w].row.table].n_fields > 1;
    }
    return u;
}
