/* Statements.  Blocks, switch bodies and labels become flat lists with markers in them (LABEL,
 * CASE, DEFAULT), so that a jump is "skip ahead to the marker". */
#include <string.h>

#include "frontend/build.h"

typedef VEC(struct ast_stmt *) stmt_vec;

static struct ast_stmt *build(struct builder *b, const struct ct_node *n);
static void add_items(struct builder *b, stmt_vec *items, const struct ct_node *n,
                      const struct ast_type *in_switch);

static struct ast_stmt *new_stmt(struct builder *b, enum ast_stmt_kind kind, struct src_loc loc)
{
    struct ast_stmt *s = arena_new(b->arena, struct ast_stmt);
    s->kind = kind;
    s->loc = loc;
    s->id = b->p->n_stmts++;
    return s;
}

static void take_items(struct builder *b, struct ast_stmt *s, stmt_vec *items)
{
    s->n_items = (uint32_t)items->len;
    s->items = arena_copy(b->arena, items->data, items->len * sizeof *items->data);
    vec_free(items);
}

static uint32_t open_scope(struct builder *b)
{
    uint32_t outer = b->scope;
    vec_push(&b->scopes, (struct fe_scope){outer});
    b->scope = (uint32_t)b->scopes.len - 1;
    return outer;
}

/* A full expression that is a value, a condition. */
static struct ast_expr *full_value(struct builder *b, const struct ct_node *n)
{
    fe_begin_full(b);
    return fe_full(b, fe_value(b, n));
}

static struct ast_expr *full_condition(struct builder *b, const struct ct_node *n)
{
    fe_begin_full(b);
    return fe_full(b, fe_condition(b, n));
}

/* Declarations -------------------------------------------------------------------------------- */

static struct ast_stmt *build_local(struct builder *b, const struct ct_node *n)
{
    struct ct_decl *decl = n->decl;
    fe_begin_full(b);
    struct ast_var *v = fe_local(b, decl);
    if (!v || v->kind != AST_VAR_LOCAL) {
        if (!v && decl->init && decl->refused &&
            !decl->is_static) { /* look for more in its initialiser */
            if (decl->init->kind != CT_INIT_LIST)
                fe_expr(b, decl->init);
        }
        return NULL;
    }
    struct ast_stmt *s = new_stmt(b, AST_STMT_DECL, decl->loc);
    s->var = v;
    if (decl->init) {
        s->expr = fe_full(b, fe_initializer(b, v->type, decl->init));
        if (v->type->kind == AST_POINTER && s->expr)
            fe_check_lifetime(b, v, s->expr, decl->init->loc);
    } else if (v->type->kind == AST_POINTER) {
        refuse(b, decl->loc, REFUSE_POINTER_UNSET, decl->name);
    }
    return s;
}

/* Lists --------------------------------------------------------------------------------------- */

static void add_case(struct builder *b, stmt_vec *items, const struct ct_node *n,
                     const struct ast_type *in_switch)
{
    struct ast_stmt *s = new_stmt(b, n->kind == CT_CASE ? AST_STMT_CASE : AST_STMT_DEFAULT, n->loc);
    if (!in_switch) {
        refuse(b, n->loc, REFUSE_CASE_PLACE);
    } else if (n->kind == CT_CASE && n->n_kids == 3) {
        refuse(b, n->loc, REFUSE_CASE_RANGE);
    } else if (n->kind == CT_CASE) {
        fe_begin_full(b);
        struct ast_expr *value = fe_convert(b, fe_value(b, n->kids[0]), in_switch);
        bool any = fe_has_any(value);
        if (value && !fe_constant(value)) {
            if (any)
                refuse(b, n->kids[0]->loc, REFUSE_ANY_CONSTANT, "a case label");
            else
                refuse(b, n->kids[0]->loc, REFUSE_CASE_VALUE);
        }
        if (value)
            s->value = value->value;
    }
    vec_push(items, s);
    if (n->n_kids)
        add_items(b, items, n->kids[n->n_kids - 1], in_switch);
}

/* Append a statement, which may be several of ours.  in_switch: the type of the switch whose body
 * this list is, if it is one. */
static void add_items(struct builder *b, stmt_vec *items, const struct ct_node *n,
                      const struct ast_type *in_switch)
{
    struct ast_stmt *s;
    if (b->atomic == FE_ATOMIC_BODY && (n->kind == CT_DECL_STMT || n->kind == CT_LABEL))
        refuse(b, n->loc, REFUSE_ATOMIC_INSIDE, n->kind == CT_LABEL ? "a label" : "a declaration");
    switch (n->kind) {
    case CT_DECL_STMT:
        for (uint32_t i = 0; i < n->n_kids; i++)
            if (n->kids[i]->kind != CT_VAR_DECL)
                refuse(b, n->kids[i]->loc, REFUSE_VLA);
            else if ((s = build_local(b, n->kids[i])))
                vec_push(items, s);
        return;
    case CT_LABEL:
        s = new_stmt(b, AST_STMT_LABEL, n->loc);
        s->name = arena_strdup(b->arena, n->name);
        vec_push(items, s);
        if (n->n_kids)
            add_items(b, items, n->kids[0], in_switch);
        return;
    case CT_CASE:
    case CT_DEFAULT:
        add_case(b, items, n, in_switch);
        return;
    default:
        if ((s = build(b, n)))
            vec_push(items, s);
    }
}

static struct ast_stmt *build_block(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s = new_stmt(b, AST_STMT_BLOCK, n->loc);
    stmt_vec items = {0};
    uint32_t outer = open_scope(b);
    for (uint32_t i = 0; i < n->n_kids; i++)
        add_items(b, &items, n->kids[i], NULL);
    b->scope = outer;
    take_items(b, s, &items);
    return s;
}

/* A substatement: a label or declaration there gets a block around it. */
static struct ast_stmt *single(struct builder *b, const struct ct_node *n)
{
    if (n->kind != CT_LABEL && n->kind != CT_DECL_STMT && n->kind != CT_CASE &&
        n->kind != CT_DEFAULT) {
        struct ast_stmt *s = build(b, n);
        return s ? s : new_stmt(b, AST_STMT_EMPTY, n->loc);
    }
    struct ast_stmt *s = new_stmt(b, AST_STMT_BLOCK, n->loc);
    stmt_vec items = {0};
    uint32_t outer = open_scope(b);
    add_items(b, &items, n, NULL);
    b->scope = outer;
    take_items(b, s, &items);
    return s;
}

/* Control ------------------------------------------------------------------------------------- */

static struct ast_stmt *build_loop_body(struct builder *b, const struct ct_node *n)
{
    b->breakable++;
    b->continuable++;
    struct ast_stmt *s = single(b, n);
    b->breakable--;
    b->continuable--;
    return s;
}

static struct ast_stmt *build_if(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s = new_stmt(b, AST_STMT_IF, n->loc);
    s->expr = full_condition(b, n->kids[0]);
    s->body = single(b, n->kids[1]);
    if (n->n_kids > 2)
        s->other = single(b, n->kids[2]);
    return s;
}

static struct ast_stmt *build_switch(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s = new_stmt(b, AST_STMT_SWITCH, n->loc);
    fe_begin_full(b);
    struct ast_expr *e = fe_condition(b, n->kids[0]);
    const struct ast_type *t = e ? fe_promote(b, e->type) : fe_int_type(b, "int", 32, true);
    s->expr = fe_full(b, fe_convert(b, e, t));
    const struct ct_node *body = n->kids[1];
    if (body->kind != CT_COMPOUND) {
        refuse(b, body->loc, REFUSE_SWITCH_BODY);
        return s;
    }
    stmt_vec items = {0};
    uint32_t outer = open_scope(b);
    b->breakable++;
    for (uint32_t i = 0; i < body->n_kids; i++)
        add_items(b, &items, body->kids[i], t);
    b->breakable--;
    b->scope = outer;
    take_items(b, s, &items);
    return s;
}

static struct ast_stmt *build_for_init(struct builder *b, const struct ct_node *n)
{
    if (n->kind != CT_DECL_STMT)
        return build(b, n);
    stmt_vec items = {0};
    add_items(b, &items, n, NULL);
    struct ast_stmt *s = items.len == 1 ? items.data[0] : new_stmt(b, AST_STMT_BLOCK, n->loc);
    if (items.len == 1)
        vec_free(&items);
    else
        take_items(b, s, &items);
    return s;
}

static struct ast_stmt *build_for(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s = new_stmt(b, AST_STMT_FOR, n->loc);
    uint32_t outer = open_scope(b);
    enum fe_atomic atomic = b->atomic;
    if (atomic == FE_ATOMIC_BODY) {
        refuse(b, n->loc, REFUSE_ATOMIC_INSIDE, "a loop");
        b->atomic = FE_ATOMIC_HEAD; /* its declaration is no further offence */
    }
    if (n->kids[0])
        s->init = build_for_init(b, n->kids[0]);
    if (n->kids[1])
        s->expr = full_condition(b, n->kids[1]);
    if (n->kids[2])
        s->step = full_value(b, n->kids[2]);
    if (atomic == FE_ATOMIC_BODY || (atomic == FE_ATOMIC_HEAD && n->kids[3]->kind != CT_FOR))
        b->atomic = FE_ATOMIC_BODY;
    s->body = build_loop_body(b, n->kids[3]);
    b->atomic = atomic;
    b->scope = outer;
    return s;
}

static struct ast_stmt *build_session(struct builder *b, const struct ct_node *n)
{
    if (b->func->role != AST_SCENARIO)
        refuse(b, n->loc, REFUSE_SESSION_PLACE);
    else if (b->in_session)
        refuse(b, n->loc, REFUSE_SESSION_NESTED);
    struct ast_stmt *s = new_stmt(b, AST_STMT_SESSION, n->loc);
    uint32_t breakable = b->breakable, continuable = b->continuable;
    bool inside = b->in_session;
    b->breakable = b->continuable = 0;
    b->in_session = true;
    s->body = single(b, n->kids[0]);
    b->in_session = inside;
    b->breakable = breakable;
    b->continuable = continuable;
    return s;
}

/* The headers of loops directly behind ATOMIC, one inside the other, belong to it. */
static struct ast_stmt *build_atomic(struct builder *b, const struct ct_node *n)
{
    enum fe_atomic outer = b->atomic;
    if (outer != FE_NOT_ATOMIC)
        refuse(b, n->loc, REFUSE_ATOMIC_INSIDE, "another ATOMIC");
    struct ast_stmt *s = new_stmt(b, AST_STMT_ATOMIC, n->loc);
    const struct ct_node *first = n->kids[0];
    b->atomic = first->kind == CT_FOR ? FE_ATOMIC_HEAD : FE_ATOMIC_BODY;
    s->atomic = arena_new(b->arena, struct ast_atomic);
    s->body = single(b, first);
    b->atomic = outer;
    return s;
}

static const char *jump_word(const struct ct_node *n)
{
    return n->kind == CT_BREAK      ? "break"
           : n->kind == CT_CONTINUE ? "continue"
           : n->kind == CT_RETURN   ? "return"
                                    : "goto";
}

static struct ast_stmt *build_leave(struct builder *b, const struct ct_node *n)
{
    if (n->kind == CT_BREAK) {
        if (!b->breakable) /* clang accepts it: SESSION is a loop in disguise */
            refuse(b, n->loc, REFUSE_SESSION_LEFT, "break");
        return new_stmt(b, AST_STMT_BREAK, n->loc);
    }
    if (!b->continuable)
        refuse(b, n->loc, REFUSE_SESSION_LEFT, "continue");
    return new_stmt(b, AST_STMT_CONTINUE, n->loc);
}

static struct ast_stmt *build_return(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s = new_stmt(b, AST_STMT_RETURN, n->loc);
    if (b->in_session)
        refuse(b, n->loc, REFUSE_SESSION_LEFT, "return");
    if (!n->n_kids)
        return s;
    fe_begin_full(b);
    struct ast_expr *e = fe_value(b, n->kids[0]);
    if (e && e->type->kind != AST_VOID && b->func->result)
        e = fe_convert(b, e, b->func->result);
    s->expr = fe_full(b, e);
    if (e &&
        e->type->kind == AST_VOID) { /* return f(); in a void function: the call, then the return */
        struct ast_stmt *block = new_stmt(b, AST_STMT_BLOCK, n->loc);
        struct ast_stmt *call = new_stmt(b, AST_STMT_EXPR, n->loc);
        stmt_vec items = {0};
        call->expr = e;
        s->expr = NULL;
        vec_push(&items, call);
        vec_push(&items, s);
        take_items(b, block, &items);
        return block;
    }
    return s;
}

static struct ast_stmt *build_expr_stmt(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s = new_stmt(b, AST_STMT_EXPR, n->loc);
    s->expr = full_value(b, n);
    return s->expr ? s : NULL;
}

static struct ast_stmt *refused(struct builder *b, const struct ct_node *n, enum refusal why)
{
    refuse(b, n->loc, why);
    return NULL;
}

static struct ast_stmt *build_loop(struct builder *b, const struct ct_node *n)
{
    bool is_do = n->kind == CT_DO;
    if (b->atomic == FE_ATOMIC_BODY)
        refuse(b, n->loc, REFUSE_ATOMIC_INSIDE, "a loop");
    struct ast_stmt *s = new_stmt(b, is_do ? AST_STMT_DO : AST_STMT_WHILE, n->loc);
    if (is_do)
        s->body = build_loop_body(b, n->kids[0]);
    s->expr = full_condition(b, n->kids[is_do]);
    if (!is_do)
        s->body = build_loop_body(b, n->kids[1]);
    return s;
}

static struct ast_stmt *build(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s;
    if (b->atomic == FE_ATOMIC_BODY && (n->kind == CT_BREAK || n->kind == CT_CONTINUE ||
                                        n->kind == CT_RETURN || n->kind == CT_GOTO)) {
        refuse(b, n->loc, REFUSE_ATOMIC_LEFT, jump_word(n));
        return NULL;
    }
    switch (n->kind) {
    case CT_COMPOUND:
        return build_block(b, n);
    case CT_IF:
        return build_if(b, n);
    case CT_SWITCH:
        return build_switch(b, n);
    case CT_WHILE:
    case CT_DO:
        return build_loop(b, n);
    case CT_FOR:
        return build_for(b, n);
    case CT_FOR_UNCLEAR:
        return refused(b, n, REFUSE_FOR_UNCLEAR);
    case CT_SESSION:
        return build_session(b, n);
    case CT_ATOMIC:
        return build_atomic(b, n);
    case CT_BREAK:
    case CT_CONTINUE:
        return build_leave(b, n);
    case CT_RETURN:
        return build_return(b, n);
    case CT_GOTO:
        s = new_stmt(b, AST_STMT_GOTO, n->loc);
        s->name = arena_strdup(b->arena, n->name);
        return s;
    case CT_NULL:
        return new_stmt(b, AST_STMT_EMPTY, n->loc);
    case CT_ASM:
        return refused(b, n, REFUSE_ASM);
    case CT_TOO_DEEP:
        refuse(b, n->loc, REFUSE_TOO_DEEP, AST_MAX_DEPTH);
        return NULL;
    case CT_INDIRECT_GOTO:
        return refused(b, n, REFUSE_GOTO_COMPUTED);
    default:
        if (n->type)
            return build_expr_stmt(b, n);
        return refused(b, n, REFUSE_OTHER_STATEMENT);
    }
}

/* The body of a function shares the scope of the parameters. */
struct ast_stmt *fe_body(struct builder *b, const struct ct_node *n)
{
    struct ast_stmt *s = new_stmt(b, AST_STMT_BLOCK, n->loc);
    stmt_vec items = {0};
    for (uint32_t i = 0; i < n->n_kids; i++)
        add_items(b, &items, n->kids[i], NULL);
    take_items(b, s, &items);
    return s;
}
