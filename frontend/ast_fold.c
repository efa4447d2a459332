/* Constant folding, for initialisers of globals and for case labels.  Exact or not at all: what
 * would overflow, divide by zero or shift too far is not a constant. */
#include "frontend/build.h"

static bool eval(const struct ast_expr *e, ast_int *out);

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

static bool in_range(const struct ast_type *t, ast_int v)
{
    return v >= ast_int_min(t) && v <= ast_int_max(t);
}

static bool eval_shift(const struct ast_expr *e, ast_int x, ast_int y, ast_int *out)
{
    if (y < 0 || y >= e->type->width || (e->type->is_signed && x < 0))
        return false;
    *out = e->op == AST_SHR ? x >> (int)y : x << (int)y;
    if (e->type->is_signed)
        return in_range(e->type, *out);
    *out = ast_int_cast(e->type, *out);
    return true;
}

static bool eval_binary(const struct ast_expr *e, ast_int *out)
{
    ast_int x, y;
    if (!eval(e->a, &x) || !eval(e->b, &y))
        return false;
    switch (e->op) {
    case AST_ADD:
        *out = x + y;
        break;
    case AST_SUB:
        *out = x - y;
        break;
    case AST_MUL: /* 64 bits times 64 bits: unsigned products may need 128, so wrap there */
        *out = e->type->is_signed ? x * y : (ast_int)((unsigned __int128)x * (unsigned __int128)y);
        break;
    case AST_DIV:
    case AST_REM:
        if (y == 0)
            return false;
        *out = e->op == AST_DIV ? x / y : x % y;
        if (e->op == AST_REM && !in_range(e->type, x / y))
            return false;
        break;
    case AST_SHL:
    case AST_SHR:
        return eval_shift(e, x, y, out);
    case AST_BITAND:
        *out = x & y;
        break;
    case AST_BITOR:
        *out = x | y;
        break;
    case AST_BITXOR:
        *out = x ^ y;
        break;
    case AST_LT:
        *out = x < y;
        break;
    case AST_LE:
        *out = x <= y;
        break;
    case AST_GT:
        *out = x > y;
        break;
    case AST_GE:
        *out = x >= y;
        break;
    case AST_EQ:
        *out = x == y;
        break;
    case AST_NE:
        *out = x != y;
        break;
    default:
        return false;
    }
    if (e->type->is_signed)
        return in_range(e->type, *out);
    *out = ast_int_cast(e->type, *out);
    return true;
}

static bool eval_unary(const struct ast_expr *e, ast_int *out)
{
    ast_int x;
    if (!eval(e->a, &x))
        return false;
    *out = e->op == AST_NEG ? -x : e->op == AST_BITNOT ? ~x : !x;
    if (e->type->is_signed)
        return in_range(e->type, *out);
    *out = ast_int_cast(e->type, *out);
    return true;
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

bool ast_fold(struct ast_expr *e)
{
    if (e->kind == AST_INIT) {
        for (uint64_t i = 0; i < e->n_args; i++)
            if ((i == 0 || e->args[i] != e->args[i - 1]) && !ast_fold(e->args[i]))
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
