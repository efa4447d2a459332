/* Types: clang's to ours, made unique, refusing what the subset does not have. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "frontend/build.h"

static struct ast_type *new_type(struct builder *b, enum ast_type_kind kind, const char *name,
                                 uint64_t size)
{
    struct ast_type *t = arena_new(b->arena, struct ast_type);
    t->kind = kind;
    t->name = arena_strdup(b->arena, name);
    t->size = size;
    t->id = (uint32_t)b->types.len;
    vec_push(&b->types, t);
    return t;
}

static const struct ast_type *void_type(struct builder *b)
{
    for (size_t i = 0; i < b->types.len; i++)
        if (b->types.data[i]->kind == AST_VOID)
            return b->types.data[i];
    return new_type(b, AST_VOID, "void", 0);
}

static const struct ast_type *int_type(struct builder *b, const char *name, uint8_t width,
                                       bool is_signed, bool is_bool, bool is_enum)
{
    for (size_t i = 0; i < b->types.len; i++) {
        const struct ast_type *t = b->types.data[i];
        if (t->kind == AST_INT && t->width == width && t->is_signed == is_signed &&
            t->is_enum == is_enum && strcmp(t->name, name) == 0)
            return t;
    }
    struct ast_type *t = new_type(b, AST_INT, name, width < 8 ? 1 : width / 8);
    t->width = width;
    t->is_signed = is_signed;
    t->is_bool = is_bool;
    t->is_enum = is_enum;
    return t;
}

const struct ast_type *fe_int_type(struct builder *b, const char *name, uint8_t width,
                                   bool is_signed)
{
    return int_type(b, name, width, is_signed, width == 1, false);
}

/* One type for each declaration: two enums in different blocks may share a name. */
static const struct ast_type *enum_type(struct builder *b, const struct ct_type *t)
{
    if (t->record->ast)
        return t->record->ast;
    struct ast_type *type = new_type(b, AST_INT, t->canonical, t->size);
    size_t n = t->record->fields.len;
    struct ast_enumerator *e = arena_array(b->arena, struct ast_enumerator, n + 1);
    for (size_t i = 0; i < n; i++)
        e[i] = (struct ast_enumerator){arena_strdup(b->arena, t->record->fields.data[i].name),
                                       t->record->fields.data[i].value};
    type->width = t->width;
    type->is_signed = t->is_signed;
    type->is_enum = true;
    type->enumerators = e;
    type->n_enumerators = (uint32_t)n;
    return t->record->ast = type;
}

/* C's spelling of an array type puts the outer dimension first: int[2][3] is two of int[3]. */
static const char *array_name(struct builder *b, const struct ast_type *elem, uint64_t count)
{
    char size[24] = "ANY";
    if (count != AST_ANY_ROWS)
        snprintf(size, sizeof size, "%llu", (unsigned long long)count);
    const char *bracket = elem->kind == AST_ARRAY ? strchr(elem->name, '[') : NULL;
    size_t stem = bracket ? (size_t)(bracket - elem->name) : strlen(elem->name);
    return arena_printf(b->arena, "%.*s[%s]%s", (int)stem, elem->name, size,
                        bracket ? bracket : "");
}

static const struct ast_type *array_type(struct builder *b, const struct ast_type *elem,
                                         uint64_t count, uint64_t size)
{
    for (size_t i = 0; i < b->types.len; i++) {
        const struct ast_type *t = b->types.data[i];
        if (t->kind == AST_ARRAY && t->elem == elem && t->count == count)
            return t;
    }
    struct ast_type *t = new_type(b, AST_ARRAY, array_name(b, elem, count), size);
    t->elem = elem;
    t->count = count;
    return t;
}

const struct ast_type *fe_pointer_type(struct builder *b, const struct ast_type *target)
{
    for (size_t i = 0; i < b->types.len; i++)
        if (b->types.data[i]->kind == AST_POINTER && b->types.data[i]->elem == target)
            return b->types.data[i];
    const char *bracket = target->kind == AST_ARRAY ? strchr(target->name, '[') : NULL;
    const char *name = bracket ? arena_printf(b->arena, "%.*s (*)%s", (int)(bracket - target->name),
                                              target->name, bracket)
                               : arena_printf(b->arena, "%s *", target->name);
    struct ast_type *t = new_type(b, AST_POINTER, name, sizeof(void *));
    t->elem = target;
    return t;
}

static bool has_presence(const struct ast_type *t)
{
    while (t->kind == AST_ARRAY)
        t = t->elem;
    for (uint32_t i = 0; t->kind == AST_STRUCT && i < t->n_fields; i++)
        if (t->fields[i].presence)
            return true;
    return false;
}

/* Is field i the one that says whether the row exists? */
static bool is_presence(struct builder *b, const struct ct_record *r, struct ast_field *fields,
                        size_t i)
{
    const struct ct_field *f = &r->fields.data[i];
    bool marked = false;
    for (size_t k = 0; k < f->attributes.len; k++)
        marked |= f->attributes.data[k].annotation &&
                  strcmp(f->attributes.data[k].annotation, "visar.presence") == 0;
    if (fields[i].type && has_presence(fields[i].type))
        refuse(b, f->loc, REFUSE_PRESENCE_NESTED, f->name);
    if (!marked || !fields[i].type)
        return false;
    if (fields[i].type->kind != AST_INT || !fields[i].type->is_bool)
        refuse(b, f->loc, REFUSE_PRESENCE_TYPE, f->name);
    for (size_t k = 0; k < i; k++)
        if (fields[k].presence)
            refuse(b, f->loc, REFUSE_PRESENCE_TWICE, f->name);
    return true;
}

/* A struct's fields are judged where the struct is defined, once. */
static const struct ast_type *struct_type(struct builder *b, struct ct_record *r, uint64_t size,
                                          struct src_loc loc)
{
    if (r->ast || r->refused)
        return r->ast;
    size_t errors = b->d->errors, items = b->d->items.len;
    if (!r->complete)
        refuse(b, loc, REFUSE_INCOMPLETE, r->name);
    else if (r->fields.len == 0)
        refuse(b, r->loc, REFUSE_EMPTY_STRUCT, r->name);
    struct ast_field *fields = arena_array(b->arena, struct ast_field, r->fields.len);
    for (size_t i = 0; i < r->fields.len; i++) {
        const struct ct_field *f = &r->fields.data[i];
        if (f->is_bitfield) {
            refuse(b, f->loc, REFUSE_BITFIELD, f->name);
        } else if (f->type->kind == CT_TYPE_POINTER) {
            bool function = f->type->elem->kind == CT_TYPE_FUNCTION;
            refuse(b, f->loc, function ? REFUSE_FUNCTION_POINTER : REFUSE_POINTER_FIELD, f->name);
        } else {
            memset(b->reported, 0, sizeof b->reported);
            fields[i].type = fe_type(b, f->type, f->loc);
            if (fields[i].type)
                fe_check_no_any_rows(b, fields[i].type, f->loc, f->name);
        }
        fields[i].name = arena_strdup(b->arena, f->name);
        fields[i].loc = f->loc;
        fields[i].presence = is_presence(b, r, fields, i);
    }
    if (b->d->errors > errors) {
        if (r->in_system) { /* va_list and the like: not the user's fault, so blame the use */
            b->d->items.len = items;
            b->d->errors = errors;
            refuse_once(b, loc, REFUSE_OTHER_TYPE, r->name);
        }
        r->refused = true;
        return NULL;
    }
    struct ast_type *t = new_type(b, AST_STRUCT, r->name, size);
    t->fields = fields;
    t->n_fields = (uint32_t)r->fields.len;
    return r->ast = t;
}

static const struct ast_type *pointer_type(struct builder *b, const struct ct_type *t,
                                           struct src_loc loc)
{
    switch (t->elem->kind) {
    case CT_TYPE_FUNCTION:
        refuse_once(b, loc, REFUSE_FUNCTION_POINTER);
        return NULL;
    case CT_TYPE_POINTER:
        refuse_once(b, loc, REFUSE_POINTER_POINTER);
        return NULL;
    case CT_TYPE_VOID:
        refuse_once(b, loc, REFUSE_VOID_POINTER);
        return NULL;
    default: {
        const struct ast_type *target = fe_type(b, t->elem, loc);
        if (target && fe_has_any_rows(target)) {
            refuse_once(b, loc, REFUSE_ANY_POINTER);
            return NULL;
        }
        return target ? fe_pointer_type(b, target) : NULL;
    }
    }
}

static const struct ast_type *constant_array(struct builder *b, const struct ct_type *t,
                                             struct src_loc loc)
{
    if (t->elem->kind == CT_TYPE_POINTER && t->elem->elem->kind != CT_TYPE_FUNCTION) {
        refuse_once(b, loc, REFUSE_POINTER_ARRAY);
        return NULL;
    }
    const struct ast_type *elem = fe_type(b, t->elem, loc);
    if (t->count == 0) {
        refuse_once(b, loc, REFUSE_EMPTY_ARRAY);
        return NULL;
    }
    if (!elem)
        return NULL;
    bool any = b->unit->uses_any && t->count == CT_ANY_ROWS;
    return array_type(b, elem, any ? AST_ANY_ROWS : t->count,
                      any || fe_has_any_rows(elem) ? 0 : t->size);
}

const struct ast_type *fe_type(struct builder *b, const struct ct_type *t, struct src_loc loc)
{
    if (t->is_volatile) {
        refuse_once(b, loc, REFUSE_VOLATILE);
        return NULL;
    }
    switch (t->kind) {
    case CT_TYPE_VOID:
        return void_type(b);
    case CT_TYPE_BOOL:
        return int_type(b, "bool", 1, false, true, false);
    case CT_TYPE_INT:
        return int_type(b, t->canonical, t->width, t->is_signed, false, false);
    case CT_TYPE_ENUM:
        return enum_type(b, t);
    case CT_TYPE_STRUCT:
        return struct_type(b, t->record, t->size, loc);
    case CT_TYPE_ARRAY:
        return constant_array(b, t, loc);
    case CT_TYPE_POINTER:
        return pointer_type(b, t, loc);
    case CT_TYPE_UNION:
        refuse_once(b, loc, REFUSE_UNION);
        return NULL;
    case CT_TYPE_INCOMPLETE_ARRAY:
        refuse_once(b, loc, REFUSE_FLEXIBLE);
        return NULL;
    case CT_TYPE_VLA:
        refuse_once(b, loc, REFUSE_VLA);
        return NULL;
    case CT_TYPE_FUNCTION:
        refuse_once(b, loc, REFUSE_FUNCTION_POINTER);
        return NULL;
    case CT_TYPE_FLOAT:
        refuse_once(b, loc, REFUSE_FLOAT);
        return NULL;
    case CT_TYPE_COMPLEX:
        refuse_once(b, loc, REFUSE_COMPLEX);
        b->reported[REFUSE_FLOAT] = true; /* its parts are */
        return NULL;
    case CT_TYPE_INT128:
        refuse_once(b, loc, REFUSE_INT128);
        return NULL;
    case CT_TYPE_ATOMIC:
        refuse_once(b, loc, REFUSE_ATOMIC);
        return NULL;
    case CT_TYPE_OTHER:
        break;
    }
    refuse_once(b, loc, REFUSE_OTHER_TYPE, t->spelling);
    return NULL;
}

/* Conversions ------------------------------------------------------------------------------------
 *
 * Ranks are widths here: int has 32 bits, and of two types of one width (long, long long) the rank
 * tells only which name the result bears. */

static int rank(const struct ast_type *t)
{
    if (strstr(t->name, "long long"))
        return 3;
    return strstr(t->name, "long") ? 2 : 1;
}

const struct ast_type *fe_promote(struct builder *b, const struct ast_type *t)
{
    assert(t->kind == AST_INT);
    if (t->width < 32)
        return fe_int_type(b, "int", 32, true);
    if (!t->is_enum)
        return t;
    if (t->width == 32)
        return fe_int_type(b, t->is_signed ? "int" : "unsigned int", 32, t->is_signed);
    return fe_int_type(b, t->is_signed ? "long" : "unsigned long", 64, t->is_signed);
}

const struct ast_type *fe_common(struct builder *b, const struct ast_type *x,
                                 const struct ast_type *y)
{
    x = fe_promote(b, x);
    y = fe_promote(b, y);
    if (x == y)
        return x;
    if (x->width != y->width)
        return x->width > y->width ? x : y; /* the wider holds all values of the narrower */
    const struct ast_type *high = rank(x) >= rank(y) ? x : y, *low = high == x ? y : x;
    if (high->is_signed == low->is_signed || !high->is_signed)
        return high;
    /* signed of higher rank but not wider: the unsigned type of that rank */
    return fe_int_type(b,
                       rank(high) == 3   ? "unsigned long long"
                       : rank(high) == 2 ? "unsigned long"
                                         : "unsigned int",
                       high->width, false);
}
