/* ANY: where it may stand.
 *
 * A table of any size has no size that C could compute with, so ANY is a dimension of a DATABASE
 * table, by itself, or a value in an expression that is evaluated when the program runs.  Clang
 * knows it as a number: wherever clang would use that number the program is refused. */
#include <assert.h>
#include <string.h>

#include "frontend/build.h"

bool fe_is_any(const struct ct_decl *decl)
{
    if (decl->kind != CT_DECL_ENUMERATOR)
        return false;
    for (size_t i = 0; i < decl->words.len; i++)
        if (strcmp(decl->words.data[i], "any") == 0) {
            assert(decl->value == CT_ANY_ROWS);
            return true;
        }
    return false;
}

static void refuse_use(struct builder *b, const struct ct_any_use *use)
{
    switch (use->where) {
    case CT_ANY_ARITHMETIC:
        refuse(b, use->loc, REFUSE_ANY_ARITHMETIC);
        break;
    case CT_ANY_ENUMERATOR:
        refuse(b, use->loc, REFUSE_ANY_CONSTANT, "the value of an enumerator");
        break;
    case CT_ANY_STATIC_ASSERT:
        refuse(b, use->loc, REFUSE_ANY_CONSTANT, "a static assertion");
        break;
    case CT_ANY_SIZEOF:
    case CT_ANY_SIZEOF_TABLE:
        refuse(b, use->loc, REFUSE_ANY_SIZEOF);
        break;
    case CT_ANY_TOO_DEEP:
        refuse(b, use->loc, REFUSE_TOO_DEEP, AST_MAX_DEPTH);
        break;
    case CT_ANY_DIMENSION: /* judged with the variable */
    case CT_ANY_VALUE:     /* an AST_ANY */
        break;
    }
}

void fe_check_any(struct builder *b)
{
    for (size_t i = 0; b->unit->uses_any && i < b->unit->any_uses.len; i++)
        refuse_use(b, &b->unit->any_uses.data[i]);
}

void fe_check_any_table(struct builder *b)
{
    for (size_t i = 0; !b->p->any && i < b->unit->any_uses.len; i++)
        if (b->unit->any_uses.data[i].where == CT_ANY_VALUE) {
            refuse(b, b->unit->any_uses.data[i].loc, REFUSE_ANY_NO_TABLE);
            return;
        }
}

bool fe_has_any(const struct ast_expr *e)
{
    if (!e)
        return false;
    if (e->kind == AST_ANY || fe_has_any(e->a) || fe_has_any(e->b) || fe_has_any(e->c))
        return true;
    for (uint64_t i = 0; i < e->n_args; i++)
        if ((i == 0 || e->args[i] != e->args[i - 1]) && fe_has_any(e->args[i]))
            return true;
    return false;
}

bool fe_has_any_rows(const struct ast_type *type)
{
    for (; type->kind == AST_ARRAY; type = type->elem)
        if (type->count == AST_ANY_ROWS)
            return true;
    return false;
}

bool fe_check_no_any_rows(struct builder *b, const struct ast_type *type, struct src_loc loc,
                          const char *name)
{
    if (!fe_has_any_rows(type))
        return true;
    refuse(b, loc, REFUSE_ANY_PLACE, name);
    return false;
}

/* What has CT_ANY_ROWS elements and was not written ANY: a typedef or typeof of such a type, or
 * that very number. */
bool fe_check_dimensions(struct builder *b, const struct ct_decl *decl)
{
    uint32_t dims = 0;
    for (const struct ct_type *t = decl->type; t->kind == CT_TYPE_ARRAY; t = t->elem)
        dims += t->count == CT_ANY_ROWS;
    if (!b->unit->uses_any || dims == decl->any_dims)
        return true;
    refuse(b, decl->loc, REFUSE_ANY_UNCLEAR, decl->name, CT_ANY_ROWS);
    return false;
}
