/* Calls: of the program's own functions, and of the builtins of visar.h.
 *
 * A builtin is known by its annotation in visar.h, or, for the names that other verifiers use, by
 * its name, provided that the program does not define the function itself. */
#include <string.h>

#include "frontend/build.h"

static bool has_word(const struct ct_decl *decl, const char *word)
{
    for (size_t i = 0; i < decl->words.len; i++)
        if (strcmp(decl->words.data[i], word) == 0)
            return true;
    return false;
}

static bool starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool is_builtin(const struct ct_decl *decl, enum ast_builtin *which)
{
    const char *name = decl->name;
    if (decl->body)
        return false;
    if (has_word(decl, "assume") || !strcmp(name, "__VERIFIER_assume") ||
        !strcmp(name, "__CPROVER_assume"))
        *which = AST_ASSUME;
    else if (has_word(decl, "assert"))
        *which = AST_ASSERT;
    else if (has_word(decl, "rollback"))
        *which = AST_ROLLBACK;
    else if (has_word(decl, "for_update"))
        *which = AST_FOR_UPDATE;
    else if (has_word(decl, "for_share"))
        *which = AST_FOR_SHARE;
    else if (has_word(decl, "skip_locked"))
        *which = AST_SKIP_LOCKED;
    else if (has_word(decl, "fresh"))
        *which = AST_FRESH;
    else if (has_word(decl, "nondet") || starts_with(name, "nondet_") ||
             starts_with(name, "__VERIFIER_nondet_"))
        *which = AST_NONDET;
    else
        return false;
    return true;
}

static struct ast_expr *builtin_node(struct builder *b, const struct ct_node *n,
                                     enum ast_builtin which, const struct ast_type *type,
                                     struct ast_expr *arg)
{
    struct ast_expr *e = fe_node(b, AST_BUILTIN, type, n);
    e->builtin = which;
    if (arg) {
        e->args = arena_array(b->arena, struct ast_expr *, 1);
        e->args[0] = arg;
        e->n_args = 1;
    }
    return e;
}

/* Is the place one row of the database, or inside one?  (A pointer may turn out to point to a
 * local: then a lock has no effect.) */
static bool in_a_row(const struct ast_expr *place)
{
    uint32_t indices = 0;
    bool field = false;
    for (; place->kind == AST_INDEX || place->kind == AST_FIELD; place = place->a) {
        indices = place->kind == AST_FIELD ? 0 : indices + 1;
        field |= place->kind == AST_FIELD;
    }
    if (place->kind == AST_DEREF) {
        const struct ast_type *t = place->type;
        for (; indices > 0 && t->kind == AST_ARRAY; indices--)
            t = t->elem;
        return t->kind != AST_ARRAY || field;
    }
    return place->var->kind == AST_VAR_DATABASE && indices >= place->var->n_dims;
}

/* Is the place a table of which every dimension but the last is given? */
static bool lacks_last_index(const struct ast_expr *place)
{
    uint32_t indices = 0;
    for (; place->kind == AST_INDEX; place = place->a)
        indices++;
    return place->kind == AST_VAR && place->var->kind == AST_VAR_DATABASE &&
           indices + 1 == place->var->n_dims;
}

/* for_update(place), skip_locked(place), fresh(place): visar.h makes it the address of the place.
 */
static struct ast_expr *build_of_place(struct builder *b, const struct ct_node *n,
                                       enum ast_builtin which, const struct ast_type *type)
{
    enum refusal why = which == AST_FRESH ? REFUSE_FRESH_PLACE : REFUSE_LOCK_PLACE;
    const struct ct_node *arg = n->n_kids == 1 ? n->kids[0] : NULL;
    while (arg && (arg->kind == CT_IMPLICIT || arg->kind == CT_PAREN))
        arg = arg->kids[0];
    if (!arg || arg->kind != CT_UNARY || arg->op != CT_OP_ADDR) {
        refuse(b, n->loc, why, ast_builtin_name(which));
        return NULL;
    }
    struct ast_expr *place = fe_expr(b, arg->kids[0]);
    if (!place)
        return NULL;
    if (!ast_is_place(place) || !(which == AST_FRESH ? lacks_last_index(place) : in_a_row(place))) {
        refuse(b, n->loc, why, ast_builtin_name(which));
        return NULL;
    }
    return builtin_node(b, n, which, type, place);
}

static struct ast_expr *build_builtin(struct builder *b, const struct ct_node *n,
                                      enum ast_builtin which)
{
    const struct ast_type *type = fe_type(b, n->type, n->loc);
    if (!type)
        return NULL;
    if (ast_is_lock(which) || which == AST_FRESH)
        return build_of_place(b, n, which, type);
    uint32_t wanted = which == AST_ASSUME || which == AST_ASSERT;
    if (n->n_kids != wanted) {
        refuse(b, n->loc, REFUSE_ARGUMENT_COUNT, n->decl->name, n->n_kids, wanted);
        return NULL;
    }
    if (which == AST_NONDET && type->kind != AST_INT) {
        refuse(b, n->loc, REFUSE_UNDEFINED_CALL, n->decl->name);
        return NULL;
    }
    if (!wanted)
        return builtin_node(b, n, which, type, NULL);
    struct ast_expr *arg = fe_condition(b, n->kids[0]);
    arg = fe_convert(b, arg, fe_int_type(b, "bool", 1, false));
    return arg ? builtin_node(b, n, which, type, arg) : NULL;
}

static struct ast_expr *refuse_call(struct builder *b, const struct ct_node *n)
{
    if (!n->decl) {
        refuse_once(b, n->loc, REFUSE_FUNCTION_POINTER);
    } else {
        const char *hint = refuse_library_hint(n->decl->name);
        if (hint)
            refuse_with(b, n->loc, REFUSE_LIBRARY_CALL, hint, n->decl->name);
        else
            refuse(b, n->loc, REFUSE_UNDEFINED_CALL, n->decl->name);
    }
    /* The arguments are still looked at; but a format string or a void pointer is the call's fault.
     */
    b->reported[REFUSE_STRING] = b->reported[REFUSE_VOID_POINTER] = true;
    b->reported[REFUSE_FLOAT] = true;
    for (uint32_t i = 0; i < n->n_kids; i++)
        fe_expr(b, n->kids[i]);
    return NULL;
}

static struct ast_expr *build_own_call(struct builder *b, const struct ct_node *n,
                                       struct ast_func *f)
{
    struct ast_expr *e = fe_node(b, AST_CALL, f->result, n);
    bool ok = true;
    e->callee = f;
    e->n_args = n->n_kids;
    e->args = arena_array(b->arena, struct ast_expr *, n->n_kids);
    for (uint32_t i = 0; i < n->n_kids; i++) {
        e->args[i] = fe_value(b, n->kids[i]);
        ok &= e->args[i] != NULL;
    }
    if (n->n_kids != f->n_params) {
        refuse(b, n->loc, REFUSE_ARGUMENT_COUNT, f->name, n->n_kids, f->n_params);
        return NULL;
    }
    for (uint32_t i = 0; ok && i < n->n_kids; i++) {
        const struct ast_type *want = f->params[i]->type;
        if (want->kind == AST_INT && e->args[i]->type->kind == AST_INT) {
            e->args[i] = fe_convert(b, e->args[i], want);
        } else if (e->args[i]->type != want) { /* only possible without a prototype */
            refuse(b, n->kids[i]->loc, REFUSE_OTHER_EXPRESSION);
            ok = false;
        }
    }
    return ok ? e : NULL;
}

struct ast_expr *fe_call(struct builder *b, const struct ct_node *n)
{
    struct ct_decl *decl = n->decl;
    enum ast_builtin which;
    if (decl && is_builtin(decl, &which))
        return build_builtin(b, n, which);
    if (decl && !strcmp(decl->name, "__builtin_expect") && n->n_kids == 2)
        return fe_value(b, n->kids[0]); /* a hint to the optimiser */
    if (decl && decl->refused) {        /* reported where it is defined */
        for (uint32_t i = 0; i < n->n_kids; i++)
            fe_expr(b, n->kids[i]);
        return NULL;
    }
    if (decl && decl->func)
        return build_own_call(b, n, decl->func);
    return refuse_call(b, n);
}
