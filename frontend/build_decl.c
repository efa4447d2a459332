/* Declarations: the database, constants, functions and their roles; locals. */
#include <ctype.h>
#include <string.h>

#include "frontend/build.h"

static const struct {
    const char *word, *name;
    enum ast_role role;
} roles[] = {
    {"transaction", "TRANSACTION", AST_TRANSACTION}, {"initial", "INITIAL", AST_INITIAL},
    {"invariant", "INVARIANT", AST_INVARIANT},       {"final", "FINAL", AST_FINAL},
    {"scenario", "SCENARIO", AST_SCENARIO},          {"constraint", "CONSTRAINT", AST_CONSTRAINT},
};

static bool has_word(const struct ct_decl *decl, const char *word, struct src_loc *loc)
{
    for (size_t i = 0; i < decl->words.len; i++)
        if (strcmp(decl->words.data[i], word) == 0) {
            *loc = decl->word_locs.data[i];
            return true;
        }
    return false;
}

/* The word that makes a variable shared state: "DATABASE" or "GHOST"; NULL if it has none. */
static const char *shared_word(const struct ct_decl *decl, struct src_loc *loc)
{
    return has_word(decl, "database", loc) ? "DATABASE"
           : has_word(decl, "ghost", loc)  ? "GHOST"
                                           : NULL;
}

/* Variables ----------------------------------------------------------------------------------- */

static void refuse_roles_of_variable(struct builder *b, struct ct_decl *decl)
{
    for (size_t i = 0; i < decl->words.len; i++)
        for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
            if (strcmp(decl->words.data[i], roles[k].word) == 0)
                refuse(b, decl->word_locs.data[i], REFUSE_ROLE_VARIABLE, roles[k].name, decl->name);
    struct src_loc loc, other;
    if (has_word(decl, "presence", &loc))
        refuse(b, loc, REFUSE_PRESENCE_PLACE, decl->name);
    if (has_word(decl, "database", &other) && has_word(decl, "ghost", &loc))
        refuse(b, loc, REFUSE_GHOST_DATABASE, decl->name);
}

static struct ast_var *new_var(struct builder *b, struct ct_decl *decl, enum ast_var_kind kind,
                               const struct ast_type *type)
{
    struct ast_var *v = arena_new(b->arena, struct ast_var);
    v->kind = kind;
    v->name = arena_strdup(b->arena, decl->name);
    v->type = type;
    v->loc = decl->loc;
    v->is_const = decl->type->is_const;
    decl->var = v;
    return v;
}

/* The initialiser of something with static storage: constants only. */
static struct ast_expr *static_init(struct builder *b, struct ct_decl *decl,
                                    const struct ast_type *type)
{
    size_t errors = b->d->errors;
    fe_begin_full(b);
    struct ast_expr *e = fe_initializer(b, type, decl->init);
    bool any = fe_has_any(e);
    if (e && !fe_constant(e) && b->d->errors == errors) {
        if (any)
            refuse(b, decl->init->loc, REFUSE_ANY_CONSTANT, "a constant initialiser");
        else
            refuse(b, decl->init->loc, REFUSE_NOT_CONSTANT, decl->name);
    }
    return b->d->errors == errors ? e : NULL;
}

static void add_table(struct builder *b, struct ct_decl *decl, const struct ast_type *type)
{
    struct ast_var *v = new_var(b, decl, AST_VAR_DATABASE, type);
    v->id = (uint32_t)b->tables.len;
    vec_push(&b->tables, v);
    v->row = type;
    for (; v->row->kind == AST_ARRAY; v->row = v->row->elem)
        v->n_dims++;
    v->dims = arena_array(b->arena, uint64_t, v->n_dims);
    const struct ast_type *t = type;
    for (uint32_t i = 0; i < v->n_dims; i++, t = t->elem)
        v->dims[i] = t->count;
    struct src_loc loc;
    v->is_ghost = has_word(decl, "ghost", &loc);
    for (uint32_t i = 0; v->row->kind == AST_STRUCT && i < v->row->n_fields; i++)
        if (v->row->fields[i].presence)
            v->presence = i + 1;
    if (v->presence && v->is_ghost)
        refuse(b, v->row->fields[v->presence - 1].loc, REFUSE_PRESENCE_GHOST, v->name);
    b->p->any |= fe_has_any_rows(type);
    if (decl->init && fe_has_any_rows(type))
        refuse(b, decl->init->loc, REFUSE_ANY_INITIALISER, decl->name);
    else if (decl->init)
        v->init = static_init(b, decl, type);
}

static struct ast_var *add_const(struct builder *b, struct ct_decl *decl,
                                 const struct ast_type *type)
{
    struct ast_var *v = new_var(b, decl, AST_VAR_CONST, type);
    struct ct_node here = {.loc = decl->loc};
    v->id = (uint32_t)b->consts.len;
    vec_push(&b->consts, v);
    v->init = decl->init ? static_init(b, decl, type) : fe_zero(b, type, &here);
    return v;
}

/* What is wrong with any variable, whatever its kind; the type if nothing is. */
static const struct ast_type *check_var(struct builder *b, struct ct_decl *decl)
{
    size_t errors = b->d->errors;
    refuse_roles_of_variable(b, decl);
    if (decl->is_thread_local)
        refuse(b, decl->loc, REFUSE_THREAD_LOCAL, decl->name);
    if (decl->strange_attribute)
        refuse(b, decl->strange_loc, REFUSE_ATTRIBUTE, decl->strange_attribute);
    const struct ast_type *type = fe_type(b, decl->type, decl->loc);
    return b->d->errors == errors ? type : NULL;
}

static void build_global(struct builder *b, struct ct_decl *decl)
{
    struct src_loc loc;
    const char *database = shared_word(decl, &loc);
    if (decl->is_extern) { /* refused where it is used */
        if (database)
            refuse(b, decl->loc, REFUSE_EXTERN_VARIABLE, decl->name);
        return;
    }
    fe_begin_full(b);
    decl->refused = true;
    if (decl->type->kind == CT_TYPE_POINTER && decl->type->elem->kind != CT_TYPE_FUNCTION) {
        refuse(b, decl->loc, REFUSE_POINTER_GLOBAL, decl->name);
        return;
    }
    if (decl->is_unsized) {
        refuse(b, decl->loc, REFUSE_UNSIZED, decl->name);
        return;
    }
    const struct ast_type *type = check_var(b, decl);
    if (!type)
        return;
    if (database && decl->type->is_const)
        refuse(b, decl->loc, REFUSE_DATABASE_CONST, database, decl->name);
    else if (!database && !decl->type->is_const)
        refuse(b, decl->loc, REFUSE_MUTABLE_GLOBAL, decl->name);
    else if (database ? fe_check_dimensions(b, decl)
                      : fe_check_no_any_rows(b, type, decl->loc, decl->name)) {
        decl->refused = false;
        if (database)
            add_table(b, decl, type);
        else
            add_const(b, decl, type);
    }
}

struct ast_var *fe_local(struct builder *b, struct ct_decl *decl)
{
    struct src_loc loc;
    if (decl->is_global || (decl->is_static && decl->is_extern))
        return NULL; /* extern int x; inside a function names the global */
    decl->refused = true;
    const char *database = shared_word(decl, &loc);
    if (database)
        refuse(b, loc, REFUSE_DATABASE_LOCAL, database, decl->name);
    const struct ast_type *type = check_var(b, decl);
    if (!type || database)
        return NULL;
    if (decl->is_static && !decl->type->is_const) {
        refuse(b, decl->loc, REFUSE_STATIC_LOCAL, decl->name);
        return NULL;
    }
    if (decl->is_static && type->kind == AST_POINTER) {
        refuse(b, decl->loc, REFUSE_POINTER_GLOBAL, decl->name);
        return NULL;
    }
    if (!fe_check_no_any_rows(b, type, decl->loc, decl->name))
        return NULL;
    decl->refused = false;
    if (decl->is_static)
        return add_const(b, decl, type);
    struct ast_var *v = new_var(b, decl, AST_VAR_LOCAL, type);
    v->id = (uint32_t)b->vars.len;
    vec_push(&b->vars, v);
    vec_push(&b->var_scopes, b->scope);
    return v;
}

/* Functions ----------------------------------------------------------------------------------- */

static enum ast_role role_of(struct builder *b, struct ct_decl *decl)
{
    int found = -1;
    for (size_t i = 0; i < decl->words.len; i++) {
        const char *word = decl->words.data[i];
        if (strcmp(word, "database") == 0 || strcmp(word, "ghost") == 0)
            refuse(b, decl->word_locs.data[i], REFUSE_DATABASE_FUNCTION,
                   *word == 'd' ? "DATABASE" : "GHOST", decl->name);
        if (strcmp(word, "presence") == 0)
            refuse(b, decl->word_locs.data[i], REFUSE_PRESENCE_PLACE, decl->name);
        for (int k = 0; k < (int)(sizeof roles / sizeof *roles); k++) {
            if (strcmp(decl->words.data[i], roles[k].word) != 0 || k == found)
                continue;
            if (found >= 0)
                refuse(b, decl->word_locs.data[i], REFUSE_TWO_ROLES, decl->name, roles[found].name,
                       roles[k].name);
            else
                found = k;
        }
    }
    return found < 0 ? AST_HELPER : roles[found].role;
}

static const struct ast_type *result_type(struct builder *b, struct ct_decl *decl)
{
    const struct ct_type *t = decl->type->elem;
    fe_begin_full(b);
    if (t->kind == CT_TYPE_POINTER) {
        bool function = t->elem->kind == CT_TYPE_FUNCTION;
        refuse(b, decl->loc, function ? REFUSE_FUNCTION_POINTER : REFUSE_POINTER_RESULT,
               decl->name);
        return NULL;
    }
    return fe_type(b, t, decl->loc);
}

static struct ast_var *build_param(struct builder *b, struct ct_decl *decl, uint32_t i,
                                   const struct ast_func *f)
{
    fe_begin_full(b);
    if (decl->is_array && f->role == AST_TRANSACTION) {
        refuse(b, decl->loc, REFUSE_TRANSACTION_ARRAY, decl->name, f->name);
        decl->refused = true;
        return NULL;
    }
    const struct ast_type *type = fe_type(b, decl->type, decl->loc);
    if (!type) {
        decl->refused = true;
        return NULL;
    }
    struct ast_var *v = new_var(b, decl, AST_VAR_PARAM, type);
    v->id = i;
    return v;
}

/* The signature; bodies are built when all signatures are known. */
static void build_signature(struct builder *b, struct ct_decl *decl)
{
    size_t errors = b->d->errors;
    enum ast_role role = role_of(b, decl);
    if (!decl->body) {
        if (role != AST_HELPER)
            refuse(b, decl->loc, REFUSE_NO_BODY, ast_role_name(role), decl->name);
        return;
    }
    if (strcmp(decl->name, "main") == 0 && role == AST_HELPER)
        return; /* there to run the program natively: no part of what is verified */
    struct ast_func *f = arena_new(b->arena, struct ast_func);
    f->role = role;
    f->name = arena_strdup(b->arena, decl->name);
    f->loc = decl->loc;
    f->result = result_type(b, decl);
    if (decl->is_variadic)
        refuse(b, decl->loc, REFUSE_VARIADIC, decl->name);
    f->n_params = (uint32_t)decl->params.len;
    f->params = arena_array(b->arena, struct ast_var *, f->n_params);
    for (uint32_t i = 0; i < f->n_params; i++)
        f->params[i] = build_param(b, decl->params.data[i], i, f);
    f->id = (uint32_t)b->funcs.len;
    decl->refused = b->d->errors > errors;
    decl->func = f;
    vec_push(&b->funcs, f);
    vec_push(&b->func_decls, decl);
}

static void build_function(struct builder *b, struct ast_func *f, struct ct_decl *decl)
{
    vec_clear(&b->vars);
    vec_clear(&b->var_scopes);
    vec_clear(&b->scopes);
    vec_push(&b->scopes, (struct fe_scope){0});
    b->scope = 0;
    b->func = f;
    b->n_full = 0;
    b->breakable = b->continuable = 0;
    b->in_session = false;
    b->atomic = FE_NOT_ATOMIC;
    for (uint32_t i = 0; i < f->n_params; i++) {
        vec_push(&b->vars, f->params[i]);
        vec_push(&b->var_scopes, 0);
    }
    f->body = fe_body(b, decl->body);
    fe_resolve_jumps(b, f->body);
    f->n_full = b->n_full;
    f->n_vars = (uint32_t)b->vars.len;
    f->vars = arena_copy(b->arena, b->vars.data, b->vars.len * sizeof *b->vars.data);
}

void fe_program(struct builder *b)
{
    fe_check_any(b);
    for (size_t i = 0; i < b->unit->file_asm.len; i++)
        refuse(b, b->unit->file_asm.data[i], REFUSE_FILE_ASM);
    for (size_t i = 0; i < b->unit->decls.len; i++) {
        struct ct_decl *decl = b->unit->decls.data[i];
        if (decl->kind == CT_DECL_VAR)
            build_global(b, decl);
        else
            build_signature(b, decl);
    }
    for (size_t i = 0; i < b->funcs.len; i++)
        build_function(b, b->funcs.data[i], b->func_decls.data[i]);
}
