/* Expressions: places, values, operators.
 *
 * clang has inserted the implicit conversions already (CT_IMPLICIT); they are turned into LOAD and
 * CAST by looking at what stands below, not at clang's names for them, which libclang does not
 * give. Whatever the operators need beyond that is derived once more from C's rules (fe_common,
 * fe_convert), so that a node's operands have the types that ast.h promises whatever clang showed.
 */
#include <assert.h>
#include <string.h>

#include "frontend/build.h"

struct ast_expr *fe_node(struct builder *b, enum ast_expr_kind kind, const struct ast_type *type,
                         const struct ct_node *at)
{
    struct ast_expr *e = arena_new(b->arena, struct ast_expr);
    e->kind = kind;
    e->type = type;
    e->loc = at->loc;
    e->begin = at->begin;
    e->end = at->end;
    e->id = b->p->n_exprs++;
    return e;
}

struct ast_expr *fe_const(struct builder *b, const struct ast_type *type, ast_int value,
                          const struct ct_node *at)
{
    struct ast_expr *e = fe_node(b, AST_CONST, type, at);
    e->value = ast_int_cast(type, value);
    return e;
}

const struct ast_type *fe_int(struct builder *b)
{
    return fe_int_type(b, "int", 32, true);
}

/* A node that takes its place and text from another one of ours. */
struct ast_expr *fe_wrap(struct builder *b, enum ast_expr_kind kind, const struct ast_type *type,
                         struct ast_expr *a)
{
    struct ast_expr *e = arena_new(b->arena, struct ast_expr);
    e->kind = kind;
    e->type = type;
    e->loc = a->loc;
    e->begin = a->begin;
    e->end = a->end;
    e->id = b->p->n_exprs++;
    e->a = a;
    return e;
}

void fe_begin_full(struct builder *b)
{
    memset(b->reported, 0, sizeof b->reported);
}

struct ast_expr *fe_full(struct builder *b, struct ast_expr *e)
{
    b->n_full++;
    if (e)
        e->full = b->n_full;
    return e;
}

struct ast_expr *fe_convert(struct builder *b, struct ast_expr *e, const struct ast_type *to)
{
    if (!e || !to || e->type == to)
        return to ? e : NULL;
    if (e->type->kind != AST_INT || to->kind != AST_INT) {
        refuse(b, e->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    if (e->kind == AST_CONST) {
        e->value = ast_int_cast(to, e->value);
        e->type = to;
        return e;
    }
    return fe_wrap(b, AST_CAST, to, e);
}

/* Report what is wrong further down, below something that is refused as a whole. */
struct ast_expr *fe_refuse_kids(struct builder *b, const struct ct_node *n)
{
    for (uint32_t i = 0; i < n->n_kids; i++)
        if (n->kids[i])
            fe_expr(b, n->kids[i]);
    return NULL;
}

static struct ast_expr *refuse_node(struct builder *b, const struct ct_node *n, enum refusal why)
{
    refuse_once(b, n->loc, why);
    return fe_refuse_kids(b, n);
}

static const struct ct_node *strip(const struct ct_node *n)
{
    while ((n->kind == CT_IMPLICIT || n->kind == CT_PAREN) && n->n_kids == 1)
        n = n->kids[0];
    return n;
}

struct ast_expr *fe_value(struct builder *b, const struct ct_node *n)
{
    struct ast_expr *e = fe_expr(b, n);
    if (!e || !ast_is_place(e))
        return e;
    if (e->type->kind == AST_ARRAY) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    return fe_wrap(b, AST_LOAD, e->type, e);
}

struct ast_expr *fe_condition(struct builder *b, const struct ct_node *n)
{
    if (strip(n)->kind == CT_STRING) /* assert(balance >= 0 && "overdrawn") */
        return fe_const(b, fe_int(b), 1, n);
    if (n->type->kind == CT_TYPE_POINTER && n->type->elem->kind != CT_TYPE_FUNCTION) {
        refuse(b, n->loc, REFUSE_POINTER_COMPARE);
        fe_expr(b, n);
        return NULL;
    }
    struct ast_expr *e = fe_value(b, n);
    if (e && e->type->kind != AST_INT) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    return e;
}

/* Names and places ---------------------------------------------------------------------------- */

static struct ast_expr *build_ref(struct builder *b, const struct ct_node *n)
{
    struct ct_decl *decl = n->decl;
    if (decl->kind == CT_DECL_FUNC) {
        refuse_once(b, n->loc, REFUSE_FUNCTION_POINTER);
        return NULL;
    }
    if (decl->kind == CT_DECL_ENUMERATOR) {
        const struct ast_type *t = fe_type(b, n->type, n->loc);
        if (t && fe_is_any(decl))
            return fe_node(b, AST_ANY, fe_int(b), n);
        return t ? fe_const(b, t, decl->value, n) : NULL;
    }
    if (decl->refused)
        return NULL;
    if (!decl->var) {
        refuse(b, n->loc, REFUSE_EXTERN_VARIABLE, decl->name);
        return NULL;
    }
    struct ast_expr *e = fe_node(b, AST_VAR, decl->var->type, n);
    e->var = decl->var;
    return e;
}

static bool find_field(const struct ast_type *t, const char *name, uint32_t *path, uint32_t *depth)
{
    uint32_t here = *depth;
    for (uint32_t i = 0; i < t->n_fields; i++) {
        path[here] = i;
        *depth = here + 1;
        if (strcmp(t->fields[i].name, name) == 0)
            return true;
        if (!t->fields[i].name[0] && t->fields[i].type->kind == AST_STRUCT && here < 15 &&
            find_field(t->fields[i].type, name, path, depth))
            return true;
    }
    *depth = here;
    return false;
}

/* The array that a subscript's pointer operand decayed from, or NULL if it is a real pointer. */
static const struct ct_node *decayed(const struct ct_node *n)
{
    while (n->kind == CT_PAREN && n->n_kids == 1)
        n = n->kids[0];
    if (n->kind != CT_IMPLICIT || n->type->kind != CT_TYPE_POINTER)
        return NULL;
    enum ct_type_kind below = n->kids[0]->type->kind;
    return below == CT_TYPE_ARRAY || below == CT_TYPE_INCOMPLETE_ARRAY || below == CT_TYPE_VLA
               ? n->kids[0]
               : NULL;
}

static struct ast_expr *deref(struct builder *b, struct ast_expr *pointer, const struct ct_node *at)
{
    if (pointer->kind == AST_ADDR)
        return pointer->a;
    struct ast_expr *e = fe_node(b, AST_DEREF, pointer->type->elem, at);
    e->a = pointer;
    return e;
}

/* The place that a pointer expression points to.  *&x, *array and array->field need no pointer, so
 * that they may name parts of structs too. */
struct ast_expr *fe_target(struct builder *b, const struct ct_node *pointer,
                           const struct ct_node *at)
{
    while (pointer->kind == CT_PAREN && pointer->n_kids == 1)
        pointer = pointer->kids[0];
    if (pointer->kind == CT_UNARY && pointer->op == CT_OP_ADDR &&
        pointer->kids[0]->type->kind != CT_TYPE_FUNCTION) {
        struct ast_expr *place = fe_expr(b, pointer->kids[0]);
        return place && ast_is_place(place) ? place : place ? fe_address(b, place, pointer) : NULL;
    }
    const struct ct_node *array = decayed(pointer);
    struct ast_expr *e = array ? fe_expr(b, array) : fe_value(b, pointer);
    if (!e || !array || !ast_is_place(e) || e->type->kind != AST_ARRAY)
        return e && !array ? deref(b, e, at) : NULL;
    struct ast_expr *first = fe_node(b, AST_INDEX, e->type->elem, at);
    first->a = e;
    first->b = fe_const(b, fe_int(b), 0, at);
    return first;
}

static struct ast_expr *build_member(struct builder *b, const struct ct_node *n)
{
    struct ast_expr *base;
    if (n->arrow) {
        base = fe_target(b, n->kids[0], n->kids[0]);
    } else {
        base = fe_expr(b, n->kids[0]);
    }
    if (!base)
        return NULL;
    uint32_t path[16], depth = 0;
    if (base->type->kind != AST_STRUCT || !find_field(base->type, n->name, path, &depth)) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    for (uint32_t i = 0; i < depth; i++) {
        const struct ast_type *t = base->type->fields[path[i]].type;
        struct ast_expr *e = fe_node(b, ast_is_place(base) ? AST_FIELD : AST_MEMBER, t, n);
        e->a = base;
        e->field = path[i];
        base = e;
    }
    if (base->kind == AST_MEMBER && base->type->kind == AST_ARRAY) {
        refuse(b, n->loc, REFUSE_TEMPORARY_ARRAY);
        return NULL;
    }
    return base;
}

static struct ast_expr *build_subscript(struct builder *b, const struct ct_node *n)
{
    bool swapped = n->kids[0]->type->kind != CT_TYPE_POINTER; /* i[a] */
    const struct ct_node *base = n->kids[swapped], *index = n->kids[!swapped];
    const struct ct_node *array = decayed(base);
    struct ast_expr *a = array ? fe_expr(b, array) : fe_value(b, base);
    struct ast_expr *i = fe_value(b, index);
    if (!a || !i)
        return NULL;
    if (!array) { /* p[0] is *p; anything else moves the pointer */
        if (i->kind != AST_CONST || i->value != 0) {
            refuse(b, n->loc, REFUSE_POINTER_INDEX);
            return NULL;
        }
        return deref(b, a, n);
    }
    if (!ast_is_place(a) || a->type->kind != AST_ARRAY) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    struct ast_expr *e = fe_node(b, AST_INDEX, a->type->elem, n);
    e->a = a;
    e->b = i;
    return e;
}

/* Conversions --------------------------------------------------------------------------------- */

static bool is_pointer(const struct ct_node *n)
{
    return n->type->kind == CT_TYPE_POINTER;
}

/* From a value to clang's idea of its type after a conversion. */
static struct ast_expr *convert_to(struct builder *b, const struct ct_node *n, struct ast_expr *e)
{
    const struct ct_type *from = n->kids[0]->type, *to = n->type;
    if (from->kind == CT_TYPE_ARRAY && to->kind == CT_TYPE_POINTER)
        from = to; /* the decay has been made: its target is the element type, qualifiers and all */
    if (to->kind == CT_TYPE_POINTER) {
        if (!e || e->type->kind == AST_POINTER)
            return e ? fe_convert_pointer(b, e, from, to, n) : NULL;
        bool null = e->kind == AST_CONST && e->value == 0;
        refuse(b, n->loc, null ? REFUSE_NULL_POINTER : REFUSE_INT_TO_POINTER);
        return NULL;
    }
    if (!e)
        return NULL;
    if (e->type->kind == AST_POINTER && to->kind != CT_TYPE_VOID) {
        refuse(b, n->loc,
               to->kind == CT_TYPE_BOOL ? REFUSE_POINTER_COMPARE : REFUSE_POINTER_TO_INT);
        return NULL;
    }
    const struct ast_type *t = fe_type(b, to, n->loc);
    if (!t || e->type == t)
        return t ? e : NULL;
    if (t->kind == AST_VOID)
        return fe_wrap(b, AST_CAST, t, e);
    if (t->kind != AST_INT || e->type->kind != AST_INT) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    return fe_convert(b, e, t);
}

static struct ast_expr *build_implicit(struct builder *b, const struct ct_node *n)
{
    if (n->type->kind == CT_TYPE_POINTER && n->type->elem->kind == CT_TYPE_VOID) {
        /* Only for_update takes one, and it never comes here. */
        bool null = strip(n)->kind == CT_INTEGER;
        refuse_once(b, n->loc, null ? REFUSE_NULL_POINTER : REFUSE_VOID_POINTER);
        return NULL;
    }
    struct ast_expr *e = fe_expr(b, n->kids[0]);
    if (e && ast_is_place(e)) {
        if (e->type->kind != AST_ARRAY)
            e = fe_wrap(b, AST_LOAD, e->type, e);
        else if (is_pointer(n))
            e = fe_address(b, e, n);
        else
            return refuse_node(b, n, REFUSE_OTHER_EXPRESSION);
    }
    return convert_to(b, n, e);
}

static struct ast_expr *build_cast(struct builder *b, const struct ct_node *n)
{
    if (is_pointer(n) && n->type->elem->kind == CT_TYPE_VOID &&
        strip(n->kids[0])->kind == CT_INTEGER) {
        refuse_once(b, n->loc, REFUSE_NULL_POINTER);
        return NULL;
    }
    struct ast_expr *e = fe_value(b, n->kids[0]);
    if (is_pointer(n) && is_pointer(n->kids[0]) &&
        strcmp(n->type->canonical, n->kids[0]->type->canonical) != 0) {
        refuse(b, n->loc, REFUSE_POINTER_CAST, n->type->spelling);
        return NULL;
    }
    return convert_to(b, n, e);
}

/* The rest ------------------------------------------------------------------------------------ */

static struct ast_expr *build_literal(struct builder *b, const struct ct_node *n)
{
    const struct ast_type *t = fe_type(b, n->type, n->loc);
    if (!t || t->kind != AST_INT)
        return NULL;
    return fe_const(b, t, n->value, n);
}

static struct ast_expr *build_compound_literal(struct builder *b, const struct ct_node *n)
{
    const struct ast_type *t = fe_type(b, n->type, n->loc);
    if (!t || n->n_kids != 1)
        return NULL;
    if (t->kind == AST_ARRAY) {
        refuse(b, n->loc, REFUSE_ARRAY_LITERAL);
        return fe_refuse_kids(b, n->kids[0]);
    }
    return fe_initializer(b, t, n->kids[0]);
}

/* May evaluating this change anything?  (What libclang evaluated, it may have evaluated in spite of
 * it.) */
static bool is_pure(const struct ct_node *n)
{
    switch (n->kind) {
    case CT_INTEGER:
        return true;
    case CT_REF:
        return !fe_is_any(n->decl); /* clang does not know its value */
    case CT_UNARY:
        if (n->op >= CT_OP_POSTINC && n->op <= CT_OP_PREDEC)
            return false;
        break;
    case CT_BINARY:
    case CT_COND:
    case CT_CAST:
    case CT_IMPLICIT:
    case CT_PAREN:
    case CT_MEMBER:
    case CT_SUBSCRIPT:
    case CT_GENERIC:
    case CT_STRING:
        break;
    default:
        return false;
    }
    for (uint32_t i = 0; i < n->n_kids; i++)
        if (!is_pure(n->kids[i]))
            return false;
    return true;
}

static struct ast_expr *build_generic(struct builder *b, const struct ct_node *n)
{
    if (n->has_value && is_pure(n))
        return build_literal(b, n);
    refuse(b, n->loc, REFUSE_GENERIC);
    return NULL;
}

static struct ast_expr *build(struct builder *b, const struct ct_node *n)
{
    switch (n->kind) {
    case CT_INTEGER:
        return build_literal(b, n);
    case CT_FLOATING:
        return refuse_node(b, n, REFUSE_FLOAT);
    case CT_IMAGINARY:
        return refuse_node(b, n, REFUSE_COMPLEX);
    case CT_STRING:
        return refuse_node(b, n, REFUSE_STRING);
    case CT_REF:
        return build_ref(b, n);
    case CT_MEMBER:
        return build_member(b, n);
    case CT_SUBSCRIPT:
        return build_subscript(b, n);
    case CT_CALL:
        return fe_call(b, n);
    case CT_UNARY:
        return fe_unary(b, n);
    case CT_BINARY:
        return fe_binary(b, n);
    case CT_ASSIGN:
        return fe_assign(b, n);
    case CT_COND:
        return fe_cond(b, n);
    case CT_CAST:
        return build_cast(b, n);
    case CT_IMPLICIT:
        return build_implicit(b, n);
    case CT_PAREN:
        return fe_expr(b, n->kids[0]);
    case CT_COMPOUND_LITERAL:
        return build_compound_literal(b, n);
    case CT_GENERIC:
        return build_generic(b, n);
    case CT_ELVIS:
        return refuse_node(b, n, REFUSE_ELVIS);
    case CT_STMT_EXPR:
        return refuse_node(b, n, REFUSE_STATEMENT_EXPRESSION);
    case CT_TOO_DEEP:
        refuse_once(b, n->loc, REFUSE_TOO_DEEP, AST_MAX_DEPTH);
        return NULL;
    case CT_ADDR_LABEL:
        return refuse_node(b, n, REFUSE_LABEL_ADDRESS);
    default:
        return refuse_node(b, n, REFUSE_OTHER_EXPRESSION);
    }
}

struct ast_expr *fe_expr(struct builder *b, const struct ct_node *n)
{
    /* An expression of a refused scalar type is reported where it stands, once; its parts are still
     * looked at. */
    enum ct_type_kind k = n->type ? n->type->kind : CT_TYPE_OTHER;
    bool bad =
        k == CT_TYPE_FLOAT || k == CT_TYPE_COMPLEX || k == CT_TYPE_INT128 || k == CT_TYPE_ATOMIC;
    if (bad)
        fe_type(b, n->type, n->loc);
    struct ast_expr *e = build(b, n);
    if (bad || !e || !n->type)
        return NULL;
    /* A second opinion: the type that C's rules gave here must be the one that clang found. */
    if (e->type->kind == AST_INT && fe_type(b, n->type, n->loc) != e->type) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    return e;
}
