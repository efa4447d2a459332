/* Pointers: what may be pointed to, what may be converted, and for how long it lives.
 *
 * The promise of ast.h is that a dereference is always defined.  So every pointer variable is
 * initialised where it is declared, and it only ever holds the address of something that is
 * declared in its own block or one around it (or in the database, or, for a parameter, in the
 * caller).  By induction, what a copied pointer points to lives at least as long as the variable it
 * was copied from. */
#include <assert.h>
#include <string.h>

#include "frontend/build.h"

static bool through_field(const struct ast_expr *place)
{
    for (; place->kind == AST_INDEX || place->kind == AST_FIELD; place = place->a)
        if (place->kind == AST_FIELD)
            return true;
    return false;
}

struct ast_expr *fe_address(struct builder *b, struct ast_expr *place, const struct ct_node *at)
{
    if (!ast_is_place(place)) {
        refuse(b, at->loc, REFUSE_ADDRESS_OF_VALUE);
        return NULL;
    }
    if (through_field(place)) {
        refuse(b, at->loc, REFUSE_ADDRESS_OF_FIELD);
        return NULL;
    }
    if (place->type->kind == AST_POINTER) {
        refuse(b, at->loc, REFUSE_POINTER_POINTER);
        return NULL;
    }
    bool decays =
        at->type->kind == CT_TYPE_POINTER && place->type->kind == AST_ARRAY && at->kind != CT_UNARY;
    if (decays) { /* an array stands for the address of its first element */
        struct ast_expr *first = fe_node(b, AST_INDEX, place->type->elem, at);
        first->a = place;
        first->b = fe_const(b, fe_int_type(b, "int", 32, true), 0, at);
        place = first;
    }
    if (fe_has_any_rows(place->type)) {
        refuse_once(b, at->loc, REFUSE_ANY_POINTER);
        return NULL;
    }
    if (place->kind == AST_DEREF) /* &*p */
        return place->a;
    struct ast_expr *e = fe_node(b, AST_ADDR, fe_pointer_type(b, place->type), at);
    e->a = place;
    return e;
}

struct ast_expr *fe_convert_pointer(struct builder *b, struct ast_expr *e,
                                    const struct ct_type *from, const struct ct_type *to,
                                    const struct ct_node *at)
{
    const struct ast_type *t = fe_type(b, to, at->loc);
    if (!t)
        return NULL;
    if (t != e->type) {
        refuse(b, at->loc, REFUSE_POINTER_CAST, to->spelling);
        return NULL;
    }
    if (from->kind == CT_TYPE_POINTER && from->elem->is_const && !to->elem->is_const) {
        refuse(b, at->loc, REFUSE_DROPS_CONST);
        return NULL;
    }
    return e;
}

static bool encloses(const struct builder *b, uint32_t outer, uint32_t inner)
{
    while (inner != outer && inner != 0)
        inner = b->scopes.data[inner].parent;
    return inner == outer;
}

static bool lives_long_enough(const struct builder *b, const struct ast_var *v, uint32_t scope)
{
    if (v->kind == AST_VAR_DATABASE || v->kind == AST_VAR_CONST)
        return true;
    return encloses(b, b->var_scopes.data[v->id], scope);
}

static bool outlives(const struct builder *b, const struct ast_expr *value, uint32_t scope)
{
    switch (value->kind) {
    case AST_ADDR:
    case AST_LOAD: {
        const struct ast_expr *root = value->a;
        while (root->kind == AST_INDEX)
            root = root->a;
        if (root->kind == AST_DEREF) /* a part of what another pointer points to */
            return outlives(b, root->a, scope);
        return lives_long_enough(b, root->var, scope);
    }
    case AST_COND:
        return outlives(b, value->b, scope) && outlives(b, value->c, scope);
    case AST_COMMA:
    case AST_ASSIGN:
        return outlives(b, value->b, scope);
    default:
        assert(!"pointers come from nowhere else");
        return false;
    }
}

bool fe_check_lifetime(struct builder *b, const struct ast_var *pointer,
                       const struct ast_expr *value, struct src_loc loc)
{
    if (outlives(b, value, b->var_scopes.data[pointer->id]))
        return true;
    refuse(b, loc, REFUSE_POINTER_OUTLIVES, pointer->name);
    return false;
}
