/* GHOST: nothing that a transaction does may depend on a ghost.
 *
 * The functions that transactions run are searched for mentions of ghosts.  An expression statement
 * that assigns a ghost is an update, which may read that ghost, in operations that cannot fail; any
 * other mention is refused.  What only predicates and INITIAL run may use ghosts as it likes, but
 * for constraints, which the database enforces. */
#include "frontend/build.h"
#include "frontend/walk.h"

struct ghosts {
    struct builder *b;
    bool *reached; /* by function id: a function with the role at hand runs it */
    bool changed;
    const struct ast_func *constraint; /* the one that is searched, or NULL */
    const struct ast_var *updated;     /* by the statement at hand */
    bool atomic;
};

static const struct ast_expr *root_of(const struct ast_expr *place)
{
    while (place->kind == AST_INDEX || place->kind == AST_FIELD)
        place = place->a;
    return place;
}

/* The ghost that the place is a part of, or NULL. */
static const struct ast_var *ghost_of(const struct ast_expr *place)
{
    const struct ast_expr *root = root_of(place);
    return root->kind == AST_VAR && root->var->is_ghost ? root->var : NULL;
}

/* Everywhere ----------------------------------------------------------------------------------- */

static void check_pointer(void *arg, struct ast_expr *e)
{
    struct ghosts *g = arg;
    const struct ast_var *ghost = e->kind == AST_ADDR ? ghost_of(e->a) : NULL;
    if (ghost)
        refuse(g->b, e->loc, REFUSE_GHOST_POINTER, ghost->name);
    if (e->kind != AST_BUILTIN || !e->n_args || !ast_is_place(e->args[0]))
        return;
    ghost = ghost_of(e->args[0]);
    if (ghost)
        refuse(g->b, e->loc, REFUSE_GHOST_ROW,
               arena_printf(g->b->arena, "%s()", ast_builtin_name(e->builtin)), ghost->name);
}

/* Transactions --------------------------------------------------------------------------------- */

static bool is_assignment(const struct ast_expr *e)
{
    return e->kind == AST_ASSIGN || e->kind == AST_COMPOUND || e->kind == AST_INCDEC;
}

/* May an operand of this operator be a ghost: does it never fail (but for overflow)? */
static bool cannot_fail(const struct ast_expr *e)
{
    bool shifts_or_divides = e->op == C_DIV || e->op == C_REM || e->op == C_SHL || e->op == C_SHR;
    switch (e->kind) {
    case AST_CAST:
    case AST_UNARY:
    case AST_MEMBER:
    case AST_INIT:
        return true;
    case AST_BINARY:
    case AST_COMPOUND:
        return !shifts_or_divides;
    case AST_ASSIGN:
    case AST_INCDEC:
        return true;
    default:
        return false;
    }
}

static void refuse_read(struct ghosts *g, const struct ast_var *ghost, struct src_loc loc)
{
    if (g->constraint)
        refuse(g->b, loc, REFUSE_GHOST_CONSTRAINT, g->constraint->name, ghost->name);
    else if (g->atomic)
        refuse(g->b, loc, REFUSE_GHOST_ATOMIC, ghost->name);
    else if (!g->updated)
        refuse(g->b, loc, REFUSE_GHOST_READ, ghost->name);
    else if (g->updated != ghost)
        refuse(g->b, loc, REFUSE_GHOST_OTHER, g->updated->name, ghost->name);
    else
        refuse(g->b, loc, REFUSE_GHOST_USED, ghost->name);
}

/* harmless: its value goes into the update, and nowhere else. */
static void search(struct ghosts *g, const struct ast_expr *e, bool harmless)
{
    if (!e)
        return;
    if (e->kind == AST_LOAD || is_assignment(e)) {
        const struct ast_var *ghost = ghost_of(e->a);
        for (const struct ast_expr *p = e->a; p->kind == AST_INDEX || p->kind == AST_FIELD;
             p = p->a)
            search(g, p->b, false);
        if (root_of(e->a)->kind == AST_DEREF)
            search(g, root_of(e->a)->a, false);
        if (ghost && e->kind == AST_LOAD && (!harmless || ghost != g->updated))
            refuse_read(g, ghost, e->loc);
        else if (ghost && e->kind != AST_LOAD)
            refuse(g->b, e->loc, g->atomic ? REFUSE_GHOST_ATOMIC : REFUSE_GHOST_WRITE, ghost->name);
        search(g, e->b, false);
        return;
    }
    harmless &= cannot_fail(e);
    search(g, e->a, harmless);
    search(g, e->b, harmless);
    search(g, e->c, harmless);
    for (uint64_t i = 0; i < e->n_args; i++)
        search(g, e->args[i], harmless);
}

static const struct ast_expr *discarded(const struct ast_expr *e)
{
    while (e->kind == AST_CAST && e->type->kind == AST_VOID)
        e = e->a;
    return e;
}

/* An expression statement that assigns a ghost. */
static bool is_update(const struct ghosts *g, const struct ast_stmt *s)
{
    const struct ast_expr *e = s->kind == AST_STMT_EXPR && s->expr ? discarded(s->expr) : NULL;
    return e && !g->atomic && !g->constraint && is_assignment(e) && ghost_of(e->a);
}

static void search_stmt(struct ghosts *g, const struct ast_stmt *s)
{
    if (!s)
        return;
    bool outer = g->atomic;
    g->atomic |= s->kind == AST_STMT_ATOMIC;
    if (is_update(g, s)) {
        const struct ast_expr *e = discarded(s->expr);
        g->updated = ghost_of(e->a);
        if (!cannot_fail(e))
            refuse(g->b, e->loc, REFUSE_GHOST_USED, g->updated->name);
        for (const struct ast_expr *p = e->a; p->kind == AST_INDEX || p->kind == AST_FIELD;
             p = p->a)
            search(g, p->b, false);
        search(g, e->b, true);
        g->updated = NULL;
    } else {
        search(g, s->expr, false);
        search(g, s->step, false);
    }
    search_stmt(g, s->init);
    search_stmt(g, s->body);
    search_stmt(g, s->other);
    for (uint32_t i = 0; i < s->n_items; i++)
        search_stmt(g, s->items[i]);
    g->atomic = outer;
}

/* Who runs what -------------------------------------------------------------------------------- */

static void reach(void *arg, struct ast_expr *e)
{
    struct ghosts *g = arg;
    if (e->kind != AST_CALL || g->reached[e->callee->id])
        return;
    g->reached[e->callee->id] = true;
    g->changed = true;
}

static void close_over_calls(struct ghosts *g)
{
    do {
        g->changed = false;
        for (size_t i = 0; i < g->b->funcs.len; i++)
            if (g->reached[i])
                walk_exprs(g->b->funcs.data[i]->body, reach, g);
    } while (g->changed);
}

static void search_reached(struct ghosts *g)
{
    close_over_calls(g);
    for (size_t i = 0; i < g->b->funcs.len; i++)
        if (g->reached[i])
            search_stmt(g, g->b->funcs.data[i]->body);
    for (size_t i = 0; i < g->b->funcs.len; i++)
        g->reached[i] = false;
}

void fe_check_ghosts(struct builder *b)
{
    struct ghosts g = {.b = b};
    bool any = false;
    for (size_t i = 0; i < b->tables.len; i++)
        any |= b->tables.data[i]->is_ghost;
    if (!any)
        return;
    g.reached = mem_calloc(b->funcs.len + 1, sizeof *g.reached);
    for (size_t i = 0; i < b->funcs.len; i++) {
        walk_exprs(b->funcs.data[i]->body, check_pointer, &g);
        g.reached[i] = b->funcs.data[i]->role == AST_TRANSACTION;
    }
    search_reached(&g);
    for (size_t i = 0; i < b->funcs.len; i++)
        if (b->funcs.data[i]->role == AST_CONSTRAINT) {
            g.constraint = b->funcs.data[i];
            g.reached[i] = true;
            search_reached(&g);
        }
    mem_free(g.reached);
}
