/* Operators, assignments included.  Operands come with clang's implicit conversions; what C's rules
 * ask for beyond that is derived again (fe_promote, fe_common), so that the types are those that
 * ast.h promises. */
#include <assert.h>

#include "frontend/build.h"

static struct ast_expr *build_deref(struct builder *b, const struct ct_node *n)
{
    return fe_target(b, n->kids[0], n);
}

static struct ast_expr *build_addr(struct builder *b, const struct ct_node *n)
{
    if (n->kids[0]->type->kind == CT_TYPE_FUNCTION) {
        refuse_once(b, n->loc, REFUSE_FUNCTION_POINTER);
        return NULL;
    }
    struct ast_expr *place = fe_expr(b, n->kids[0]);
    return place ? fe_address(b, place, n) : NULL;
}

static struct ast_expr *build_incdec(struct builder *b, const struct ct_node *n)
{
    struct ast_expr *place = fe_expr(b, n->kids[0]);
    if (n->type->kind == CT_TYPE_POINTER) {
        refuse(b, n->loc, REFUSE_POINTER_ARITHMETIC);
        return NULL;
    }
    if (!place)
        return NULL;
    if (!ast_is_place(place) || place->type->kind != AST_INT) {
        refuse(b, n->loc, REFUSE_TEMPORARY_WRITE);
        return NULL;
    }
    struct ast_expr *e = fe_node(b, AST_INCDEC, place->type, n);
    e->a = place;
    e->op = n->op == CT_OP_POSTINC || n->op == CT_OP_PREINC ? C_ADD : C_SUB;
    e->prefix = n->op == CT_OP_PREINC || n->op == CT_OP_PREDEC;
    e->comp = fe_common(b, place->type, fe_int(b));
    return e;
}

static struct ast_expr *build_arithmetic_unary(struct builder *b, const struct ct_node *n)
{
    struct ast_expr *a =
        n->op == CT_OP_LNOT ? fe_condition(b, n->kids[0]) : fe_value(b, n->kids[0]);
    if (!a)
        return NULL;
    if (n->op == CT_OP_LNOT) {
        struct ast_expr *e = fe_node(b, AST_UNARY, fe_int(b), n);
        e->op = C_LOGNOT;
        e->a = a;
        return e;
    }
    const struct ast_type *t = fe_promote(b, a->type);
    a = fe_convert(b, a, t);
    if (n->op == CT_OP_PLUS)
        return a;
    struct ast_expr *e = fe_node(b, AST_UNARY, t, n);
    e->op = n->op == CT_OP_MINUS ? C_NEG : C_BITNOT;
    e->a = a;
    return e;
}

struct ast_expr *fe_unary(struct builder *b, const struct ct_node *n)
{
    switch (n->op) {
    case CT_OP_ADDR:
        return build_addr(b, n);
    case CT_OP_DEREF:
        return build_deref(b, n);
    case CT_OP_EXTENSION:
        return fe_expr(b, n->kids[0]);
    case CT_OP_PLUS:
    case CT_OP_MINUS:
    case CT_OP_NOT:
    case CT_OP_LNOT:
        return build_arithmetic_unary(b, n);
    case CT_OP_POSTINC:
    case CT_OP_POSTDEC:
    case CT_OP_PREINC:
    case CT_OP_PREDEC:
        return build_incdec(b, n);
    default:
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return fe_refuse_kids(b, n);
    }
}

static enum c_operator op_of(enum ct_op op)
{
    switch (op) {
    case CT_OP_MUL:
        return C_MUL;
    case CT_OP_DIV:
        return C_DIV;
    case CT_OP_REM:
        return C_REM;
    case CT_OP_ADD:
        return C_ADD;
    case CT_OP_SUB:
        return C_SUB;
    case CT_OP_SHL:
        return C_SHL;
    case CT_OP_SHR:
        return C_SHR;
    case CT_OP_LT:
        return C_LT;
    case CT_OP_GT:
        return C_GT;
    case CT_OP_LE:
        return C_LE;
    case CT_OP_GE:
        return C_GE;
    case CT_OP_EQ:
        return C_EQ;
    case CT_OP_NE:
        return C_NE;
    case CT_OP_AND:
        return C_BITAND;
    case CT_OP_XOR:
        return C_BITXOR;
    default:
        assert(op == CT_OP_OR);
        return C_BITOR;
    }
}

static bool is_pointer(const struct ct_node *n)
{
    return n->type->kind == CT_TYPE_POINTER;
}

static struct ast_expr *build_logical(struct builder *b, const struct ct_node *n)
{
    struct ast_expr *x = fe_condition(b, n->kids[0]), *y = fe_condition(b, n->kids[1]);
    if (!x || !y)
        return NULL;
    struct ast_expr *e = fe_node(b, n->op == CT_OP_LAND ? AST_AND : AST_OR, fe_int(b), n);
    e->a = x;
    e->b = y;
    return e;
}

struct ast_expr *fe_binary(struct builder *b, const struct ct_node *n)
{
    if (n->op == CT_OP_LAND || n->op == CT_OP_LOR)
        return build_logical(b, n);
    struct ast_expr *x = fe_value(b, n->kids[0]), *y = fe_value(b, n->kids[1]);
    if (n->op == CT_OP_COMMA) {
        if (!x || !y)
            return NULL;
        struct ast_expr *e = fe_node(b, AST_COMMA, y->type, n);
        e->a = x;
        e->b = y;
        return e;
    }
    bool compares = n->op >= CT_OP_LT && n->op <= CT_OP_NE;
    if (is_pointer(n->kids[0]) || is_pointer(n->kids[1])) {
        refuse(b, n->loc, compares ? REFUSE_POINTER_COMPARE : REFUSE_POINTER_ARITHMETIC);
        return NULL;
    }
    if (n->op == CT_OP_OTHER)
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
    if (!x || !y || n->op == CT_OP_OTHER)
        return NULL;
    if (x->type->kind != AST_INT || y->type->kind != AST_INT) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    const struct ast_type *t;
    if (n->op == CT_OP_SHL || n->op == CT_OP_SHR) {
        t = fe_promote(b, x->type);
        y = fe_convert(b, y, fe_promote(b, y->type));
    } else {
        t = fe_common(b, x->type, y->type);
        y = fe_convert(b, y, t);
    }
    x = fe_convert(b, x, t);
    struct ast_expr *e = fe_node(b, AST_BINARY, compares ? fe_int(b) : t, n);
    e->op = op_of(n->op);
    e->a = x;
    e->b = y;
    return e;
}

static struct ast_expr *build_compound_assign(struct builder *b, const struct ct_node *n,
                                              struct ast_expr *place, struct ast_expr *value)
{
    struct ast_expr *e = fe_node(b, AST_COMPOUND, place->type, n);
    e->op = op_of(n->op);
    e->a = place;
    if (n->op == CT_OP_SHL || n->op == CT_OP_SHR) {
        e->comp = fe_promote(b, place->type);
        e->b = fe_convert(b, value, fe_promote(b, value->type));
    } else {
        e->comp = fe_common(b, place->type, value->type);
        e->b = fe_convert(b, value, e->comp);
    }
    return e;
}

struct ast_expr *fe_assign(struct builder *b, const struct ct_node *n)
{
    struct ast_expr *place = fe_expr(b, n->kids[0]), *value = fe_value(b, n->kids[1]);
    if (is_pointer(n) && n->op != CT_OP_NONE) {
        refuse(b, n->loc, REFUSE_POINTER_ARITHMETIC);
        return NULL;
    }
    if (n->op == CT_OP_OTHER)
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
    if (!place || !value || n->op == CT_OP_OTHER)
        return NULL;
    if (!ast_is_place(place)) {
        refuse(b, n->loc, REFUSE_TEMPORARY_WRITE);
        return NULL;
    }
    if (n->op != CT_OP_NONE && (place->type->kind != AST_INT || value->type->kind != AST_INT)) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    if (n->op != CT_OP_NONE)
        return build_compound_assign(b, n, place, value);
    if (place->type->kind == AST_POINTER) {
        assert(place->kind == AST_VAR); /* no other place holds a pointer */
        if (!fe_check_lifetime(b, place->var, value, n->loc))
            return NULL;
    }
    struct ast_expr *e = fe_node(b, AST_ASSIGN, place->type, n);
    e->a = place;
    e->b = fe_convert(b, value, place->type);
    return e->b ? e : NULL;
}

struct ast_expr *fe_cond(struct builder *b, const struct ct_node *n)
{
    if (n->n_kids != 3) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    struct ast_expr *c = fe_condition(b, n->kids[0]);
    struct ast_expr *x = fe_value(b, n->kids[1]), *y = fe_value(b, n->kids[2]);
    const struct ast_type *t = fe_type(b, n->type, n->loc);
    if (!c || !x || !y || !t)
        return NULL;
    struct ast_expr *e = fe_node(b, AST_COND, t, n);
    e->a = c;
    if (t->kind == AST_VOID) { /* one side may have a value, which is dropped */
        x = x->type == t ? x : fe_wrap(b, AST_CAST, t, x);
        y = y->type == t ? y : fe_wrap(b, AST_CAST, t, y);
    }
    e->b = fe_convert(b, x, t);
    e->c = fe_convert(b, y, t);
    return e->b && e->c ? e : NULL;
}
