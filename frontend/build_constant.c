/* Constant folding, for initialisers of globals and for case labels.  Exact or not at all: what
 * would overflow, divide by zero or shift too far is not a constant. */
#include "frontend/build.h"

static bool eval(const struct ast_expr *e, ast_int *out);

bool fe_constant_value(const struct ast_expr *e, ast_int *out)
{
    return e->type->kind == AST_INT && eval(e, out);
}

/* The node of a const variable's value that a place names, or NULL. */
static const struct ast_expr *const_place(const struct ast_expr *place)
{
    if (place->kind == AST_VAR)
        return place->var->kind == AST_VAR_CONST ? place->var->init : NULL;
    if (place->kind != AST_INDEX && place->kind != AST_FIELD)
        return NULL;
    const struct ast_expr *whole = const_place(place->a);
    ast_int i = place->field;
    if (!whole || whole->kind != AST_INIT || (place->kind == AST_INDEX && !eval(place->b, &i)))
        return NULL;
    return i >= 0 && i < (ast_int)whole->n_args ? whole->args[i] : NULL;
}

/* A shift of a negative value is not a constant, although compilers define right shifts. */
static bool eval_binary(const struct ast_expr *e, ast_int *out)
{
    ast_int x, y;
    if (!eval(e->a, &x) || !eval(e->b, &y))
        return false;
    if ((e->op == C_SHL || e->op == C_SHR) && x < 0)
        return false;
    return c_binary(e->op, ast_int_type(e->a->type), x, y, out) == C_DEFINED;
}

static bool eval_unary(const struct ast_expr *e, ast_int *out)
{
    ast_int x;
    return eval(e->a, &x) && c_unary(e->op, ast_int_type(e->type), x, out) == C_DEFINED;
}

static bool eval(const struct ast_expr *e, ast_int *out)
{
    ast_int x;
    switch (e->kind) {
    case AST_CONST:
        *out = e->value;
        return true;
    case AST_LOAD: {
        const struct ast_expr *value = const_place(e->a);
        return value && value->kind == AST_CONST && eval(value, out);
    }
    case AST_CAST:
        if (e->type->kind != AST_INT || !eval(e->a, &x))
            return false;
        *out = ast_int_cast(e->type, x);
        return true;
    case AST_UNARY:
        return eval_unary(e, out);
    case AST_BINARY:
        return eval_binary(e, out);
    case AST_AND:
    case AST_OR:
        if (!eval(e->a, &x))
            return false;
        if ((x != 0) == (e->kind == AST_OR)) {
            *out = x != 0;
            return true;
        }
        if (!eval(e->b, &x))
            return false;
        *out = x != 0;
        return true;
    case AST_COND:
        return eval(e->a, &x) && eval(x ? e->b : e->c, out);
    default:
        return false;
    }
}

bool fe_constant(struct ast_expr *e)
{
    if (e->kind == AST_INIT) {
        for (uint64_t i = 0; i < e->n_args; i++)
            if ((i == 0 || e->args[i] != e->args[i - 1]) && !fe_constant(e->args[i]))
                return false;
        return true;
    }
    ast_int v;
    if (e->type->kind != AST_INT || !eval(e, &v))
        return false;
    e->kind = AST_CONST;
    e->value = v;
    e->a = e->b = e->c = NULL;
    return true;
}
