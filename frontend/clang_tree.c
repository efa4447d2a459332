/* From the tree as libclang shows it (clang.c) to the tree that the builder reads.
 *
 * Implicit conversions are "unexposed" expressions to libclang.  They are told from other unexposed
 * expressions (va_arg, offsetof, a ?: b …) by having exactly one child, of exactly their extent.
 * The missing parts of `for (;;)` leave no trace among the children: the places of the two
 * semicolons tell, and if a macro hides them and the children alone do not tell, the loop is
 * CT_FOR_UNCLEAR.  libclang has kinds for a few attributes only: the others are known by their
 * text. */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "frontend/clang_tree.h"

bool ct_is_code(const struct ct_node *n)
{
    return n->kind != CT_ASIDE && n->kind != CT_LABEL_REF && n->kind != CT_DESIGNATOR_FIELD &&
           n->kind != CT_VAR_DECL && n->kind != CT_TYPEDEF;
}

/* Keep the children that are expressions or statements: not types, attributes, declarations. */
static void keep_code(struct ct_node *n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->n_kids; i++)
        if (ct_is_code(n->kids[i]))
            n->kids[kept++] = n->kids[i];
    n->n_kids = kept;
}

/* Keep only the last of them: types may come first, and a type may hold an expression. */
static void keep_last(struct ct_node *n)
{
    if (n->n_kids > 1) {
        n->kids += n->n_kids - 1;
        n->n_kids = 1;
    }
}

static void settle_other(struct ct_node *n)
{
    n->kind = CT_OTHER;
    n->name = "this expression";
    n->n_kids = 0;
}

/* Types --------------------------------------------------------------------------------------- */

static bool is_array(const struct ct_type *t)
{
    return t->kind == CT_TYPE_ARRAY || t->kind == CT_TYPE_INCOMPLETE_ARRAY ||
           t->kind == CT_TYPE_VLA;
}

/* libclang gives a parameter declared as an array, and whatever has its type, the array type; to C
 * it is a pointer. */
static const struct ct_type *adjusted(struct ct_unit *unit, const struct ct_type *t)
{
    if (!is_array(t))
        return t;
    struct ct_type *p = arena_new(&unit->arena, struct ct_type);
    p->kind = CT_TYPE_POINTER;
    p->elem = t->elem;
    p->spelling = p->canonical = arena_printf(&unit->arena, "%s *", t->elem->spelling);
    p->size = sizeof(void *);
    return p;
}

/* A typedef of a variable-length array evaluates the length: it is a statement in disguise. */
static bool variable_size(const struct ct_type *t)
{
    while (t->kind == CT_TYPE_POINTER || t->kind == CT_TYPE_ARRAY ||
           t->kind == CT_TYPE_INCOMPLETE_ARRAY)
        t = t->elem;
    return t->kind == CT_TYPE_VLA;
}

/* The type of an expression that libclang calls an array although only a pointer can stand there.
 */
static void adjust(struct ct_unit *unit, struct ct_node *n)
{
    switch (n->kind) {
    case CT_REF:
        if (n->decl->kind == CT_DECL_PARAM)
            n->type = adjusted(unit, n->type);
        break;
    case CT_PAREN:
    case CT_UNARY:
        if (n->n_kids == 1 && (n->kind == CT_PAREN || n->op == CT_OP_EXTENSION))
            n->type = n->kids[0]->type;
        break;
    case CT_IMPLICIT:
    case CT_BINARY:
    case CT_ASSIGN:
    case CT_COND:
    case CT_CAST:
        n->type = adjusted(unit, n->type);
        break;
    default:
        break;
    }
}

/* Expressions --------------------------------------------------------------------------------- */

static enum ct_op find_op(const char *text, bool unary, bool postfix)
{
    static const struct {
        const char *text;
        enum ct_op op;
        bool unary, postfix;
    } ops[] = {
        {"++", CT_OP_POSTINC, true, true},
        {"--", CT_OP_POSTDEC, true, true},
        {"++", CT_OP_PREINC, true, false},
        {"--", CT_OP_PREDEC, true, false},
        {"&", CT_OP_ADDR, true, false},
        {"*", CT_OP_DEREF, true, false},
        {"+", CT_OP_PLUS, true, false},
        {"-", CT_OP_MINUS, true, false},
        {"~", CT_OP_NOT, true, false},
        {"!", CT_OP_LNOT, true, false},
        {"__extension__", CT_OP_EXTENSION, true, false},
        {"*", CT_OP_MUL, false, false},
        {"/", CT_OP_DIV, false, false},
        {"%", CT_OP_REM, false, false},
        {"+", CT_OP_ADD, false, false},
        {"-", CT_OP_SUB, false, false},
        {"<<", CT_OP_SHL, false, false},
        {">>", CT_OP_SHR, false, false},
        {"<", CT_OP_LT, false, false},
        {">", CT_OP_GT, false, false},
        {"<=", CT_OP_LE, false, false},
        {">=", CT_OP_GE, false, false},
        {"==", CT_OP_EQ, false, false},
        {"!=", CT_OP_NE, false, false},
        {"&", CT_OP_AND, false, false},
        {"^", CT_OP_XOR, false, false},
        {"|", CT_OP_OR, false, false},
        {"&&", CT_OP_LAND, false, false},
        {"||", CT_OP_LOR, false, false},
        {",", CT_OP_COMMA, false, false},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].text, text) == 0 && ops[i].unary == unary && ops[i].postfix == postfix)
            return ops[i].op;
    return CT_OP_OTHER;
}

static void settle_binary(struct ct_unit *unit, struct ct_node *n)
{
    size_t length = strlen(n->name);
    n->op = find_op(n->name, false, false);
    if (n->op != CT_OP_OTHER || length == 0 || n->name[length - 1] != '=')
        return;
    n->kind = CT_ASSIGN;
    n->op = length == 1 ? CT_OP_NONE
                        : find_op(arena_strndup(&unit->arena, n->name, length - 1), false, false);
}

/* The function that an expression in the place of a callee names, or NULL.  Of _Generic's choices
 * it is the one whose type is that of the whole, if no other has that type. */
static struct ct_decl *called_function(const struct ct_node *n, bool *too_deep)
{
    struct ct_decl *found = NULL;
    size_t matches = 0;
    switch (n->kind) {
    case CT_TOO_DEEP:
        *too_deep = true;
        return NULL;
    case CT_REF:
        return n->decl->kind == CT_DECL_FUNC ? n->decl : NULL;
    case CT_UNARY:
        if (n->op != CT_OP_DEREF && n->op != CT_OP_ADDR)
            return NULL;
        return called_function(n->kids[0], too_deep);
    case CT_PAREN:
    case CT_IMPLICIT:
        return called_function(n->kids[0], too_deep);
    case CT_GENERIC:
        for (uint32_t i = 1; i < n->n_kids; i++)
            if (strcmp(n->type->canonical, n->kids[i]->type->canonical) == 0) {
                found = called_function(n->kids[i], too_deep);
                matches++;
            }
        return matches == 1 ? found : NULL;
    default:
        return NULL;
    }
}

/* libclang has the callee before the arguments. */
static void settle_call(struct ct_node *n)
{
    bool too_deep = false;
    if (n->n_kids == 0)
        return;
    n->decl = called_function(n->kids[0], &too_deep);
    n->kids++;
    n->n_kids--;
    if (too_deep)
        n->kind = CT_TOO_DEEP;
}

/* Implicit conversions, designated initialisers, constants such as offsetof; anything else is
 * CT_OTHER. */
static void settle_unexposed(struct ct_node *n)
{
    uint32_t code = 0, kept = 0;
    for (uint32_t i = 0; i < n->n_kids; i++)
        code += ct_is_code(n->kids[i]);
    if (n->n_kids == 1 && code == 1 && n->kids[0]->same_as_parent) {
        n->kind = CT_IMPLICIT;
    } else if (n->type->kind == CT_TYPE_VOID && code >= 1 && n->n_kids >= 2) {
        n->kind = CT_DESIGNATED;
        for (uint32_t i = 0; i < n->n_kids; i++)
            if (n->kids[i]->kind == CT_DESIGNATOR_FIELD || ct_is_code(n->kids[i]))
                n->kids[kept++] = n->kids[i];
        n->n_kids = kept;
    } else if (code == 4 && n->n_kids == 4 && n->kids[2]->same_as_first) {
        n->kind = CT_ELVIS; /* a ?: b, with a three times over */
        keep_last(n);
    } else if (code == 0 && n->has_value) {
        n->kind = CT_INTEGER;
        n->n_kids = 0;
    } else {
        settle_other(n);
    }
}

/* Statements ---------------------------------------------------------------------------------- */

static void settle_decl_stmt(struct ct_node *n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n->n_kids; i++)
        if (n->kids[i]->kind == CT_VAR_DECL ||
            (n->kids[i]->kind == CT_TYPEDEF && variable_size(n->kids[i]->type)))
            n->kids[kept++] = n->kids[i];
    n->n_kids = kept;
}

/* Put the parts of the header where they belong.  The children still have libclang's extents. */
static void settle_for(struct ct_unit *unit, struct ct_node *n)
{
    struct ct_node **parts = n->kids;
    uint32_t count = n->n_kids;
    assert(count >= 1 && count <= 4);
    n->n_kids = 4;
    n->kids = arena_array(&unit->arena, struct ct_node *, 4);
    n->kids[3] = parts[count - 1];
    if (count > 1 && count < 4 && !n->semicolons_known) {
        n->kind = CT_FOR_UNCLEAR;
        return;
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t at = parts[i]->begin;
        int slot = count == 4 ? (int)i : at < n->semicolons[0] ? 0 : at < n->semicolons[1] ? 1 : 2;
        if (n->kids[slot])
            n->kind = CT_FOR_UNCLEAR;
        n->kids[slot] = parts[i];
    }
}

/* SESSION and ATOMIC are for loops whose variables bear marks. */
static void find_marked(struct ct_node *n)
{
    const struct ct_node *init = n->kids[0];
    if (!init || init->kind != CT_DECL_STMT || init->n_kids != 1 ||
        init->kids[0]->kind != CT_VAR_DECL)
        return;
    const struct ct_decl *decl = init->kids[0]->decl;
    for (size_t i = 0; i < decl->words.len; i++) {
        bool session = strcmp(decl->words.data[i], "session") == 0;
        if (!session && strcmp(decl->words.data[i], "atomic") != 0)
            continue;
        n->kind = session ? CT_SESSION : CT_ATOMIC;
        n->kids[0] = n->kids[3];
        n->n_kids = 1;
        return;
    }
}

static void settle_goto(struct ct_node *n)
{
    n->name = "";
    for (uint32_t i = 0; i < n->n_kids; i++)
        if (n->kids[i]->kind == CT_LABEL_REF)
            n->name = n->kids[i]->name;
    n->n_kids = 0;
}

/* Nodes --------------------------------------------------------------------------------------- */

/* Once the children are settled. */
static void settle_kind(struct ct_unit *unit, struct ct_node *n)
{
    switch (n->kind) {
    case CT_INTEGER:
        if (!n->has_value)
            settle_other(n);
        break;
    case CT_MEMBER:
        n->arrow = n->n_kids == 1 && n->kids[0]->type->kind == CT_TYPE_POINTER;
        break;
    case CT_UNARY:
        n->op = find_op(n->name, true, n->postfix);
        break;
    case CT_BINARY:
        settle_binary(unit, n);
        break;
    case CT_CALL:
        settle_call(n);
        break;
    case CT_CAST:
    case CT_COMPOUND_LITERAL:
        keep_last(n);
        break;
    case CT_UNEXPOSED:
        settle_unexposed(n);
        break;
    case CT_FOR:
        find_marked(n);
        break;
    default:
        break;
    }
    if (n->type)
        adjust(unit, n);
}

static struct ct_node *settle(struct ct_unit *unit, struct ct_node *n)
{
    if (n->kind == CT_DECL_STMT)
        settle_decl_stmt(n);
    else if (n->kind == CT_GOTO)
        settle_goto(n);
    else if (n->kind != CT_UNEXPOSED)
        keep_code(n);
    if (n->kind == CT_UNEXPOSED_STMT) {
        /* An attribute in front of a statement ([[fallthrough]], likely …) means nothing to us. */
        if (n->n_kids == 1)
            return settle(unit, n->kids[0]);
        n->kind = CT_OTHER;
        n->n_kids = 0;
    }
    if (n->kind == CT_FOR)
        settle_for(unit, n);
    ct_settle_extent(unit, n);
    for (uint32_t i = 0; i < n->n_kids; i++)
        if (n->kids[i])
            n->kids[i] = settle(unit, n->kids[i]);
    settle_kind(unit, n);
    return n;
}

/* Declarations -------------------------------------------------------------------------------- */

/* Attributes of variables that change nothing we model.  Anything else (cleanup, above all) is
 * handed on for the builder to refuse. */
static bool harmless_attribute(const char *text)
{
    static const char *const names[] = {
        "unused",     "maybe_unused", "used",   "aligned",  "packed", "section", "visibility",
        "deprecated", "annotate",     "common", "nocommon", "retain", NULL};
    while (*text == '_')
        text++;
    for (int i = 0; names[i]; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(text, names[i], n) == 0 && !isalnum((unsigned char)text[n]) &&
            (text[n] != '_' || text[n + 1] == '_'))
            return true;
    }
    return false;
}

static void settle_attributes(struct ct_unit *unit, struct ct_decl *decl)
{
    for (size_t i = 0; i < decl->attributes.len; i++) {
        const struct ct_attribute *a = &decl->attributes.data[i];
        if (a->annotation) {
            if (strncmp(a->annotation, "visar.", 6) != 0)
                continue;
            vec_push(&decl->words, a->annotation + 6);
            vec_push(&decl->word_locs, a->loc);
        } else if (decl->kind == CT_DECL_VAR && !harmless_attribute(a->text)) {
            decl->strange_attribute =
                arena_strndup(&unit->arena, a->text, strcspn(a->text, "() ,;\n"));
            decl->strange_loc = a->loc;
        }
    }
}

/* Attributes and types first: expressions ask for those of the declarations they mention. */
static void settle_decls(struct ct_unit *unit)
{
    for (size_t i = 0; i < unit->all_decls.len; i++) {
        struct ct_decl *decl = unit->all_decls.data[i];
        settle_attributes(unit, decl);
        if (decl->kind == CT_DECL_PARAM && decl->type->kind != CT_TYPE_VLA)
            decl->type = adjusted(unit, decl->type);
    }
    for (size_t i = 0; i < unit->all_decls.len; i++) {
        struct ct_decl *decl = unit->all_decls.data[i];
        if (decl->init)
            decl->init = settle(unit, decl->init);
        if (decl->body)
            decl->body = settle(unit, decl->body);
    }
}

bool ct_parse(const char *file, const char *const *args, size_t n_args, bool show_warnings,
              struct diag_list *d, struct ct_unit *unit)
{
    if (!ct_read(file, args, n_args, show_warnings, d, unit))
        return false;
    settle_decls(unit);
    return true;
}

void ct_free(struct ct_unit *unit)
{
    for (size_t i = 0; i < unit->all_decls.len; i++) {
        vec_free(&unit->all_decls.data[i]->attributes);
        vec_free(&unit->all_decls.data[i]->words);
        vec_free(&unit->all_decls.data[i]->word_locs);
        vec_free(&unit->all_decls.data[i]->params);
    }
    for (size_t i = 0; i < unit->all_records.len; i++) {
        struct ct_record *record = unit->all_records.data[i];
        for (size_t k = 0; k < record->fields.len; k++)
            vec_free(&record->fields.data[k].attributes);
        vec_free(&record->fields);
    }
    vec_free(&unit->all_decls);
    vec_free(&unit->all_records);
    vec_free(&unit->decls);
    vec_free(&unit->file_asm);
    vec_free(&unit->any_uses);
    vec_free(&unit->texts);
    vec_free(&unit->text_sizes);
    arena_free(&unit->arena);
}
