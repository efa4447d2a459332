/* Roles: what each kind of function may have, call and do.
 *
 * For every function and every effect (reading or writing the database, each builtin, calling a
 * transaction) the first expression that has it is kept, directly or through a call; the calls form
 * a graph and the facts are closed over it.  A refusal points at the place in the function that has
 * the role, and a note at the place where it really happens. */
#include <string.h>

#include "frontend/build.h"
#include "frontend/walk.h"

enum effect { READS, WRITES, ASSUMES, ASSERTS, ROLLS_BACK, NONDET, LOCKS, FRESH, N_EFFECTS };

struct facts {
    const struct ast_expr *where[N_EFFECTS]; /* NULL: it does not */
    VEC(const struct ast_expr *) calls;
};

struct checker {
    struct builder *b;
    struct facts *facts; /* by function id */
    bool *row_pointer;   /* by type id: some pointer to this type may point into the database */
    struct facts *now;
};

/* Does evaluating or changing this place touch the database?  Through a pointer: if any pointer of
 * that type can. */
static bool touches_database(const struct checker *c, const struct ast_expr *place)
{
    for (; place->kind == AST_INDEX || place->kind == AST_FIELD; place = place->a)
        ;
    if (place->kind == AST_DEREF)
        return c->row_pointer[place->type->id];
    return place->var->kind == AST_VAR_DATABASE;
}

static void note(struct facts *f, enum effect k, const struct ast_expr *e)
{
    if (!f->where[k])
        f->where[k] = e;
}

static void find_row_pointers(void *arg, struct ast_expr *e)
{
    struct checker *c = arg;
    if (e->kind != AST_ADDR)
        return;
    const struct ast_expr *root = e->a;
    while (root->kind == AST_INDEX)
        root = root->a;
    /* through another pointer (&(*p)[i]): assume the worst */
    if (root->kind == AST_DEREF || root->var->kind == AST_VAR_DATABASE)
        c->row_pointer[e->a->type->id] = true;
}

static void find_effects(void *arg, struct ast_expr *e)
{
    struct checker *c = arg;
    static const enum effect of_builtin[] = {
        [AST_ASSUME] = ASSUMES,    [AST_ASSERT] = ASSERTS,   [AST_ROLLBACK] = ROLLS_BACK,
        [AST_NONDET] = NONDET,     [AST_FOR_UPDATE] = LOCKS, [AST_FOR_SHARE] = LOCKS,
        [AST_SKIP_LOCKED] = LOCKS, [AST_FRESH] = FRESH,
    };
    switch (e->kind) {
    case AST_LOAD:
        if (touches_database(c, e->a))
            note(c->now, READS, e);
        break;
    case AST_COMPOUND:
    case AST_INCDEC:
        if (touches_database(c, e->a))
            note(c->now, READS, e);
        /* fall through */
    case AST_ASSIGN:
        if (touches_database(c, e->a))
            note(c->now, WRITES, e);
        break;
    case AST_BUILTIN:
        note(c->now, of_builtin[e->builtin], e);
        if (ast_is_lock(e->builtin)) {
            note(c->now, READS, e);
            note(c->now, WRITES, e);
        }
        if (e->builtin == AST_FRESH)
            note(c->now, READS, e);
        break;
    case AST_CALL:
        vec_push(&c->now->calls, e);
        break;
    default:
        break;
    }
}

/* Close the facts over calls: repeat until nothing changes. */
static void close_over_calls(struct checker *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < c->b->funcs.len; i++) {
            struct facts *f = &c->facts[i];
            for (size_t k = 0; k < f->calls.len; k++) {
                const struct ast_expr *call = f->calls.data[k];
                if (call->callee->role == AST_TRANSACTION)
                    continue; /* a session of its own: its effects are not the caller's */
                for (int x = 0; x < N_EFFECTS; x++)
                    if (c->facts[call->callee->id].where[x] && !f->where[x]) {
                        f->where[x] = call;
                        changed = true;
                    }
            }
        }
    }
}

/* Refuse an effect of a function with a role; the note leads to where it happens. */
static const struct ast_expr *culprit(struct checker *c, const struct ast_func *f, enum effect k)
{
    return c->facts[f->id].where[k];
}

static const struct ast_expr *origin(const struct checker *c, const struct ast_expr *e,
                                     enum effect k)
{
    for (int hops = 0; e->kind == AST_CALL && hops < 1000; hops++)
        e = c->facts[e->callee->id].where[k];
    return e;
}

static void lead_to(struct checker *c, const struct ast_expr *e, enum effect k)
{
    diag_add(c->b->d, DIAG_NOTE, origin(c, e, k)->loc, "it happens here");
}

/* what: NULL is the name of the builtin. */

static void forbid(struct checker *c, const struct ast_func *f, enum effect k, const char *what,
                   const char *hint)
{
    const struct ast_expr *e = culprit(c, f, k);
    if (!e)
        return;
    const char *role = ast_role_name(f->role);
    if (!what && k != WRITES)
        what = arena_printf(c->b->arena, "%s()", ast_builtin_name(origin(c, e, k)->builtin));
    if (k == WRITES)
        refuse(c->b, e->loc, REFUSE_ROLE_WRITES, role, f->name);
    else
        refuse_with(c->b, e->loc, REFUSE_ROLE_BUILTIN, hint, what, role, f->name);
    if (e->kind == AST_CALL)
        lead_to(c, e, k);
}

/* Roles --------------------------------------------------------------------------------------- */

static void check_calls(struct checker *c, const struct ast_func *f)
{
    const struct facts *facts = &c->facts[f->id];
    for (size_t i = 0; i < facts->calls.len; i++) {
        const struct ast_expr *call = facts->calls.data[i];
        const struct ast_func *g = call->callee;
        if (g->role == AST_TRANSACTION && f->role != AST_SCENARIO)
            refuse(c->b, call->loc, REFUSE_TRANSACTION_CALLED, g->name);
        if (g->role == AST_SCENARIO || g->role == AST_INITIAL)
            refuse(c->b, call->loc, REFUSE_ROLE_CALLED, ast_role_name(g->role), g->name);
    }
}

static void check_predicate(struct checker *c, const struct ast_func *f)
{
    const struct ast_type *t = f->result;
    bool is_bool = t->kind == AST_INT && (t->is_bool || strcmp(t->name, "int") == 0);
    if (!is_bool)
        refuse(c->b, f->loc, REFUSE_ROLE_RESULT_BOOL, ast_role_name(f->role), f->name);
    if (!culprit(c, f, LOCKS))
        forbid(c, f, WRITES, NULL, NULL);
    forbid(c, f, LOCKS, NULL, "leave it out: a predicate is looked at, not run");
    forbid(c, f, ROLLS_BACK, "rollback()", "return true where the predicate has nothing to say");
    forbid(c, f, ASSUMES, "assume()",
           "write the condition into the result: return !condition || …");
    forbid(c, f, ASSERTS, "assert()", "return the condition");
    forbid(c, f, NONDET, "nondet", "give the predicate a parameter: it holds for every value");
    forbid(c, f, FRESH, "fresh()", "give the predicate a parameter: it holds for every row");
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->params[i]->type->kind != AST_INT)
            refuse(c->b, f->params[i]->loc, REFUSE_PREDICATE_PARAMETER, f->params[i]->name,
                   ast_role_name(f->role), f->name);
}

static void check_scenario(struct checker *c, const struct ast_func *f)
{
    forbid(c, f, LOCKS, NULL, "call it in a TRANSACTION");
    forbid(c, f, ROLLS_BACK, "rollback()", "call it in a TRANSACTION");
    forbid(c, f, FRESH, "fresh()", "call it in a TRANSACTION");
    if (culprit(c, f, LOCKS) || culprit(c, f, FRESH))
        return;
    const struct ast_expr *e = culprit(c, f, WRITES);
    enum effect k = e ? WRITES : READS;
    if (!e)
        e = culprit(c, f, READS);
    if (!e)
        return;
    refuse(c->b, e->loc, REFUSE_SCENARIO_DATABASE, f->name);
    if (e->kind == AST_CALL)
        lead_to(c, e, k);
}

static void check_initial(struct checker *c, const struct ast_func *f)
{
    forbid(c, f, LOCKS, NULL, "leave it out: nothing else runs yet");
    forbid(c, f, ROLLS_BACK, "rollback()", "use assume() to choose among initial states");
    forbid(c, f, FRESH, "fresh()", "name the row: INITIAL decides which ones exist");
    forbid(c, f, ASSERTS, "assert()", "write an INVARIANT: it is checked on the initial state");
}

static void check_role(struct checker *c, const struct ast_func *f)
{
    if ((f->role == AST_SCENARIO || f->role == AST_INITIAL) && f->n_params)
        refuse(c->b, f->loc, REFUSE_ROLE_PARAMETERS, ast_role_name(f->role), f->name);
    if ((f->role == AST_SCENARIO || f->role == AST_INITIAL) && f->result->kind != AST_VOID)
        refuse(c->b, f->loc, REFUSE_ROLE_RESULT_VOID, ast_role_name(f->role), f->name);
    if (ast_is_predicate(f->role))
        check_predicate(c, f);
    if (f->role == AST_SCENARIO)
        check_scenario(c, f);
    if (f->role == AST_INITIAL)
        check_initial(c, f);
    if (f->role == AST_TRANSACTION)
        for (uint32_t i = 0; i < f->n_params; i++)
            if (f->params[i] && f->params[i]->type->kind == AST_POINTER)
                refuse(c->b, f->params[i]->loc, REFUSE_TRANSACTION_POINTER, f->params[i]->name,
                       f->name);
}

static void check_counts(struct builder *b)
{
    const struct ast_func *initial = NULL;
    bool any = false;
    for (size_t i = 0; i < b->funcs.len; i++) {
        const struct ast_func *f = b->funcs.data[i];
        any |= f->role == AST_TRANSACTION;
        if (f->role != AST_INITIAL)
            continue;
        if (initial) {
            refuse(b, f->loc, REFUSE_TWO_INITIAL, f->name);
            diag_add(b->d, DIAG_NOTE, initial->loc, "the first is here");
        } else {
            initial = f;
        }
    }
    if (!any)
        refuse(b, (struct src_loc){b->p->main_file, 0, 0}, REFUSE_NO_TRANSACTION);
}

/* A function is recursive if it can reach itself. */
static void find_recursion(struct checker *c)
{
    size_t n = c->b->funcs.len;
    bool *seen = mem_calloc(n ? n : 1, sizeof *seen);
    VEC(size_t) stack = {0};
    for (size_t start = 0; start < n; start++) {
        memset(seen, 0, n * sizeof *seen);
        vec_push(&stack, start);
        while (stack.len) {
            struct facts *f = &c->facts[vec_pop(&stack)];
            for (size_t i = 0; i < f->calls.len; i++) {
                size_t to = f->calls.data[i]->callee->id;
                if (to == start)
                    c->b->funcs.data[start]->recursive = true;
                if (!seen[to]) {
                    seen[to] = true;
                    vec_push(&stack, to);
                }
            }
        }
    }
    vec_free(&stack);
    mem_free(seen);
}

void fe_check_roles(struct builder *b)
{
    size_t n = b->funcs.len;
    struct checker c = {.b = b};
    c.facts = mem_calloc(n ? n : 1, sizeof *c.facts);
    c.row_pointer = mem_calloc(b->types.len + 1, sizeof *c.row_pointer);
    for (size_t i = 0; i < n; i++)
        walk_exprs(b->funcs.data[i]->body, find_row_pointers, &c);
    for (size_t i = 0; i < n; i++) {
        c.now = &c.facts[i];
        walk_exprs(b->funcs.data[i]->body, find_effects, &c);
    }
    close_over_calls(&c);
    find_recursion(&c);
    for (size_t i = 0; i < n; i++) {
        b->funcs.data[i]->reads = c.facts[i].where[READS] != NULL;
        b->funcs.data[i]->writes = c.facts[i].where[WRITES] != NULL;
        check_calls(&c, b->funcs.data[i]);
        if (!b->func_decls.data[i]->refused)
            check_role(&c, b->funcs.data[i]);
    }
    check_counts(b);
    for (size_t i = 0; i < n; i++)
        vec_free(&c.facts[i].calls);
    mem_free(c.facts);
    mem_free(c.row_pointer);
}
