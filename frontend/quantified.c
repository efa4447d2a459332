/* Parameters of predicates.
 *
 * An INVARIANT, FINAL or CONSTRAINT holds for every value of its parameters.  A parameter that is
 * itself used as an index ranges over the rows of that dimension, so it has one: the same parameter
 * for tables of different sizes is refused, and so is changing it, for then it would no longer be
 * the row that the predicate speaks of.  Any other parameter ranges over its type. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "frontend/build.h"
#include "frontend/index_uses.h"

struct range {
    const struct ast_expr *first, *other; /* uses as an index; other: of another size */
};

static void note_use(void *arg, const struct ast_expr *use)
{
    struct range *r = arg;
    if (!r->first)
        r->first = use;
    else if (!r->other && use->a->type->count != r->first->a->type->count)
        r->other = use;
}

static const char *table_name(const struct ast_expr *use)
{
    const struct ast_var *root = index_root(use);
    return root ? root->name : "what a pointer points to";
}

static const char *size_text(struct builder *b, const struct ast_expr *use)
{
    uint64_t n = use->a->type->count;
    return n == AST_ANY_ROWS ? "ANY" : arena_printf(b->arena, "%" PRIu64, n);
}

static bool holds_index(const struct ast_type *t, uint64_t size)
{
    return ast_int_max(t) >= (size == AST_ANY_ROWS ? (ast_int)INT_MAX : (ast_int)size - 1);
}

static void find_range(struct builder *b, const struct ast_func *f, struct ast_var *param)
{
    struct range r = {0};
    index_uses(f->body, param, note_use, &r);
    if (!r.first)
        return;
    const struct ast_expr *changed = index_changed(f->body, param);
    if (changed) {
        refuse(b, changed->loc, REFUSE_RANGE_ASSIGNED, param->name, table_name(r.first));
    } else if (r.other) {
        refuse(b, param->loc, REFUSE_RANGE_SIZES, param->name, table_name(r.first),
               size_text(b, r.first), table_name(r.other), size_text(b, r.other));
        diag_add(b->d, DIAG_NOTE, r.first->loc, "the one is here");
        diag_add(b->d, DIAG_NOTE, r.other->loc, "the other is here");
    } else if (!holds_index(param->type, r.first->a->type->count)) {
        refuse(b, param->loc, REFUSE_RANGE_TYPE, param->name, param->type->name,
               table_name(r.first), size_text(b, r.first));
    }
    param->ranges = r.first->a->type->count;
}

void fe_find_ranges(struct builder *b)
{
    for (size_t i = 0; i < b->funcs.len; i++) {
        const struct ast_func *f = b->funcs.data[i];
        if (!ast_is_predicate(f->role))
            continue;
        for (uint32_t k = 0; k < f->n_params; k++)
            find_range(b, f, f->params[k]);
    }
}
