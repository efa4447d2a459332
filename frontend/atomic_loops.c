/* ATOMIC and loops over a whole dimension, once these are known (fold_headers.c).
 *
 * ATOMIC for (…) must be such a loop: it is one UPDATE of many rows.  The reverse is refused, also
 * where the ATOMIC is in a function that the loop calls: such a loop is one statement, and each
 * ATOMIC in it would be another one. */
#include "frontend/build.h"
#include "frontend/walk.h"

struct loops {
    struct builder *b;
    const struct ast_stmt **first; /* by function id: an ATOMIC in it or in what it calls */
};

static const struct ast_stmt *first_atomic(const struct ast_stmt *s)
{
    if (!s || s->kind == AST_STMT_ATOMIC)
        return s;
    const struct ast_stmt *found = first_atomic(s->body);
    found = found ? found : first_atomic(s->other);
    for (uint32_t i = 0; i < s->n_items && !found; i++)
        found = first_atomic(s->items[i]);
    return found;
}

struct search {
    const struct loops *l;
    const struct ast_expr *call; /* the first call that leads to an ATOMIC */
};

static void find_call(void *arg, struct ast_expr *e)
{
    struct search *s = arg;
    if (!s->call && e->kind == AST_CALL && s->l->first[e->callee->id])
        s->call = e;
}

static void find_functions(struct loops *l)
{
    for (size_t i = 0; i < l->b->funcs.len; i++)
        l->first[i] = first_atomic(l->b->funcs.data[i]->body);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < l->b->funcs.len; i++) {
            struct search s = {.l = l};
            if (!l->first[i])
                walk_exprs(l->b->funcs.data[i]->body, find_call, &s);
            if (s.call)
                l->first[i] = l->first[s.call->callee->id];
            changed |= s.call != NULL;
        }
    }
}

static void check_body(struct loops *l, struct ast_stmt *loop)
{
    const struct ast_stmt *inside = first_atomic(loop->body);
    struct search s = {.l = l};
    walk_exprs(loop->body, find_call, &s);
    if (inside) {
        refuse(l->b, inside->loc, REFUSE_ATOMIC_FOLD);
    } else if (s.call) {
        refuse(l->b, s.call->loc, REFUSE_ATOMIC_FOLD);
        diag_add(l->b->d, DIAG_NOTE, l->first[s.call->callee->id]->loc, "it is here");
    }
}

static void check(struct loops *l, struct ast_stmt *s, bool atomic)
{
    if (!s)
        return;
    atomic &= s->kind == AST_STMT_FOR;
    if (s->kind == AST_STMT_FOR && atomic && !s->fold)
        refuse(l->b, s->loc, REFUSE_ATOMIC_LOOP);
    if (s->kind == AST_STMT_FOR && s->fold && !atomic)
        check_body(l, s);
    check(l, s->body, atomic || s->kind == AST_STMT_ATOMIC);
    check(l, s->other, false);
    for (uint32_t i = 0; i < s->n_items; i++)
        check(l, s->items[i], false);
}

void fe_check_atomic_loops(struct builder *b)
{
    struct loops l = {.b = b};
    l.first = mem_calloc(b->funcs.len + 1, sizeof *l.first);
    find_functions(&l);
    for (size_t i = 0; i < b->funcs.len; i++)
        check(&l, b->funcs.data[i]->body, false);
    mem_free(l.first);
}
