/* Initialisers (C11 6.7.9): nested braces, left-out braces, designators, what is left out is zero.
 *
 * libclang shows the list as it was written, so the walk over the current object is done here.  An
 * AST_INIT node is filled slot by slot; slots that stay empty become zeros at the end, one shared
 * node per type. */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "frontend/build.h"

#define MAX_SCALARS 10000000u /* an initialiser has a node or a slot for each */

/* Where the walk is in a written list. */
struct cursor {
    const struct ct_node *list;
    uint32_t next;
    const struct ct_node
        *head; /* the initialiser at hand: list->kids[next], or the value of its designation */
};

static bool put(struct builder *b, struct ast_expr *init, uint64_t i, struct cursor *c);

static uint64_t n_slots(const struct ast_type *t)
{
    return t->kind == AST_STRUCT ? t->n_fields : t->count;
}

static const struct ast_type *slot_type(const struct ast_type *t, uint64_t i)
{
    return t->kind == AST_STRUCT ? t->fields[i].type : t->elem;
}

static struct ast_expr *new_init(struct builder *b, const struct ast_type *type,
                                 const struct ct_node *at)
{
    struct ast_expr *e = fe_node(b, AST_INIT, type, at);
    e->n_args = n_slots(type);
    e->args = arena_array(b->arena, struct ast_expr *, e->n_args);
    return e;
}

/* How many scalars an object has; saturates. */
static uint64_t n_scalars(const struct ast_type *t)
{
    uint64_t n = 0;
    if (t->kind == AST_ARRAY) {
        uint64_t each = n_scalars(t->elem);
        return each > MAX_SCALARS || t->count > MAX_SCALARS ? MAX_SCALARS + 1 : each * t->count;
    }
    if (t->kind != AST_STRUCT)
        return 1;
    for (uint32_t i = 0; i < t->n_fields && n <= MAX_SCALARS; i++)
        n += n_scalars(t->fields[i].type);
    return n;
}

static bool too_big(struct builder *b, const struct ast_type *type, const struct ct_node *at)
{
    if (n_scalars(type) <= MAX_SCALARS)
        return false;
    refuse(b, at->loc, REFUSE_INITIALISER_TOO_BIG, MAX_SCALARS);
    return true;
}

struct ast_expr *fe_zero(struct builder *b, const struct ast_type *type, const struct ct_node *at)
{
    if (type->kind == AST_INT)
        return fe_const(b, type, 0, at);
    struct ast_expr *e = new_init(b, type, at);
    if (type->kind == AST_ARRAY) {
        struct ast_expr *zero = fe_zero(b, type->elem, at);
        for (uint64_t i = 0; i < e->n_args; i++)
            e->args[i] = zero;
    } else {
        for (uint64_t i = 0; i < e->n_args; i++)
            e->args[i] = fe_zero(b, type->fields[i].type, at);
    }
    return e;
}

static void fill_with_zeros(struct builder *b, struct ast_expr *init, const struct ct_node *at)
{
    struct ast_expr *zero = NULL;
    for (uint64_t i = 0; i < init->n_args; i++) {
        if (init->args[i]) {
            if (init->args[i]->kind == AST_INIT)
                fill_with_zeros(b, init->args[i], at);
        } else if (init->type->kind == AST_ARRAY) {
            init->args[i] = zero = zero ? zero : fe_zero(b, init->type->elem, at);
        } else {
            init->args[i] = fe_zero(b, init->type->fields[i].type, at);
        }
    }
}

static void advance(struct cursor *c)
{
    c->next++;
    c->head = c->next < c->list->n_kids ? c->list->kids[c->next] : NULL;
}

/* The aggregate in slot i, made if it is not there yet. */
static struct ast_expr *enter(struct builder *b, struct ast_expr *init, uint64_t i,
                              const struct ct_node *at)
{
    const struct ast_type *t = slot_type(init->type, i);
    if (t->kind != AST_STRUCT && t->kind != AST_ARRAY) {
        refuse(b, at->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    if (!init->args[i])
        init->args[i] = new_init(b, t, at);
    if (init->args[i]->kind != AST_INIT) {
        refuse(b, at->loc, REFUSE_OVERRIDDEN);
        return NULL;
    }
    return init->args[i];
}

/* An aggregate whose braces are left out: it takes as many initialisers as it has slots. */
static bool put_elided(struct builder *b, struct ast_expr *init, uint64_t i, struct cursor *c)
{
    struct ast_expr *sub = enter(b, init, i, c->head);
    if (!sub)
        return false;
    for (uint64_t k = 0; k < sub->n_args && c->head && c->head->kind != CT_DESIGNATED; k++)
        if (!put(b, sub, k, c))
            return false;
    return true;
}

/* Does this expression initialise a whole object of the type (a struct from a struct)? */
static bool fits_whole(struct builder *b, const struct ast_type *t, const struct ct_node *n)
{
    if (t->kind == AST_INT || t->kind == AST_POINTER || n->kind == CT_INIT_LIST)
        return true;
    if (t->kind == AST_ARRAY)
        return n->kind == CT_STRING;
    return n->type->kind == CT_TYPE_STRUCT && fe_type(b, n->type, n->loc) == t;
}

static bool put(struct builder *b, struct ast_expr *init, uint64_t i, struct cursor *c)
{
    const struct ct_node *n = c->head;
    if (i >= init->n_args) {
        refuse(b, n->loc, REFUSE_TOO_MANY);
        return false;
    }
    const struct ast_type *t = slot_type(init->type, i);
    if (!fits_whole(b, t, n))
        return put_elided(b, init, i, c);
    struct ast_expr *value = fe_initializer(b, t, n);
    if (init->args[i] && init->args[i]->kind != AST_CONST) {
        refuse(b, n->loc, REFUSE_OVERRIDDEN);
        value = NULL;
    }
    init->args[i] = value;
    advance(c);
    return value != NULL;
}

/* [1 ... 3] and [1][3] look the same but for the text between the two numbers. */
static bool is_range(struct builder *b, const struct ct_node *x, const struct ct_node *y)
{
    uint32_t file = x->loc.file;
    if (y->kind == CT_DESIGNATOR_FIELD || x->kind == CT_DESIGNATOR_FIELD)
        return false;
    if (file >= b->unit->texts.len || !x->end || y->loc.file != file || y->begin < x->end)
        return true; /* cannot tell: refused as if it were */
    const char *text = b->unit->texts.data[file];
    for (uint32_t i = x->end; i < y->begin; i++)
        if (!isspace((unsigned char)text[i]) && text[i] != ']' && text[i] != '[')
            return true;
    return false;
}

/* The slots that one designator steps through: one, or more for a field of an anonymous struct. */
static bool find_slot(struct builder *b, const struct ast_type *t, const struct ct_node *d,
                      uint64_t *path, uint32_t *depth)
{
    if (d->kind != CT_DESIGNATOR_FIELD) {
        struct ast_expr *index = fe_value(b, d);
        if (!index || !fe_constant(index) || t->kind != AST_ARRAY || index->value < 0 ||
            index->value >= (ast_int)t->count)
            return false;
        path[(*depth)++] = (uint64_t)index->value;
        return true;
    }
    if (t->kind != AST_STRUCT)
        return false;
    uint32_t here = *depth;
    for (uint32_t i = 0; i < t->n_fields && here < 30; i++) {
        path[here] = i;
        *depth = here + 1;
        if (strcmp(t->fields[i].name, d->name) == 0)
            return true;
        if (!t->fields[i].name[0] && find_slot(b, t->fields[i].type, d, path, depth))
            return true;
    }
    return false;
}

/* .a[1].b = value: returns the number of steps, 0 if refused; *first is the slot of the outermost.
 */
static uint32_t put_designated(struct builder *b, struct ast_expr *init, struct cursor *c,
                               uint64_t *first)
{
    const struct ct_node *d = c->head;
    struct ast_expr *at = init;
    uint32_t steps = 0;
    uint64_t slot = 0;
    for (uint32_t k = 0; k + 1 < d->n_kids; k++) {
        uint64_t path[32];
        uint32_t depth = 0;
        if (k > 0 && is_range(b, d->kids[k - 1], d->kids[k])) {
            refuse(b, d->loc, REFUSE_DESIGNATOR_RANGE);
            return 0;
        }
        if (steps && !(at = enter(b, at, slot, d)))
            return 0;
        if (!find_slot(b, at->type, d->kids[k], path, &depth)) {
            /* two indices into one dimension can only be a range */
            refuse(b, d->loc, k ? REFUSE_DESIGNATOR_RANGE : REFUSE_OTHER_EXPRESSION);
            return 0;
        }
        for (uint32_t i = 0; i < depth; i++) {
            if (i && !(at = enter(b, at, slot, d)))
                return 0;
            slot = path[i];
            if (steps++ == 0)
                *first = slot;
        }
    }
    c->head = d->kids[d->n_kids - 1];
    return put(b, at, slot, c) ? steps : 0;
}

static struct ast_expr *build_list(struct builder *b, const struct ast_type *type,
                                   const struct ct_node *list)
{
    struct ast_expr *init = new_init(b, type, list);
    struct cursor c = {list, 0, list->n_kids ? list->kids[0] : NULL};
    uint64_t slot = 0;
    bool ok = true, nested = false;
    while (c.head) {
        uint32_t before = c.next;
        if (c.head->kind == CT_DESIGNATED) {
            uint32_t steps = put_designated(b, init, &c, &slot);
            ok &= steps > 0;
            nested = steps > 1;
        } else if (nested) {
            refuse(b, c.head->loc, REFUSE_DESIGNATOR_NEXT);
            return NULL;
        } else {
            ok &= put(b, init, slot, &c);
        }
        slot++;
        if (c.next == before) /* refused before it was taken: go on with the next one */
            advance(&c);
    }
    if (!ok)
        return NULL;
    fill_with_zeros(b, init, list);
    return init;
}

struct ast_expr *fe_initializer(struct builder *b, const struct ast_type *type,
                                const struct ct_node *n)
{
    while (n->kind == CT_PAREN)
        n = n->kids[0];
    bool aggregate = type->kind == AST_STRUCT || type->kind == AST_ARRAY;
    if (n->kind == CT_INIT_LIST) {
        if (aggregate)
            return too_big(b, type, n) ? NULL : build_list(b, type, n);
        if (n->n_kids == 0)
            return fe_const(b, type, 0, n);
        if (n->n_kids > 1) {
            refuse(b, n->kids[1]->loc, REFUSE_TOO_MANY);
            return NULL;
        }
        return fe_initializer(b, type, n->kids[0]);
    }
    struct ast_expr *value = fe_value(b, n);
    if (!value)
        return NULL;
    if (type->kind == AST_INT && value->type->kind == AST_INT)
        return fe_convert(b, value, type);
    if (value->type != type) {
        refuse(b, n->loc, REFUSE_OTHER_EXPRESSION);
        return NULL;
    }
    return value;
}
