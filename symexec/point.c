/* Points and inputs: what can stop an execution, and what it depends on.
 *
 * `ok` is the condition that no stopping point has fired so far; each point remembers it as it was
 * when the point was reached.  It grows by one implication per point, all sharing the earlier
 * ones, so the list as a whole is linear in size. */
#include <assert.h>

#include "symexec/fold.h"

static void add_point(struct sx_exec *x, enum sx_point_kind kind, term_id cond, struct src_loc loc,
                      const char *text)
{
    struct sx_point p = {
        .kind = kind, .guard = sx_path(x), .cond = cond, .before = x->ok, .loc = loc, .text = text};
    p.rolls_back = kind == SX_ROLLBACK || (kind == SX_OVERFLOW && x->role == AST_TRANSACTION &&
                                           !x->program->options.check_overflow);
    p.exact = kind == SX_OVERFLOW && x->ideal;
    vec_push(&x->points, p);
}

void sx_require(struct sx_exec *x, enum sx_point_kind kind, term_id cond, struct src_loc loc,
                const char *text)
{
    if (sx_stopped(x))
        return;
    cond = facts_fold(&x->facts, cond);
    if (cond == TERM_TRUE)
        return;
    if (x->fold && sx_mask(x, cond) & SX_MASK_HOLE && sx_fold_overflow(x, kind, cond, loc, text))
        return;
    add_point(x, kind, cond, loc, text);
    if (kind == SX_OVERFLOW && x->ideal)
        return; /* the value is exact all the same: it goes on, and nothing follows for its range */
    x->ok = term_and(x->store, x->ok, term_implies(x->store, sx_path(x), cond));
    facts_add(&x->facts, cond);
    if (cond == TERM_FALSE)
        x->st.gone = true;
}

void sx_assertion(struct sx_exec *x, term_id cond, struct src_loc loc, const char *text)
{
    if (!sx_stopped(x))
        add_point(x, SX_ASSERT, cond, loc, text);
}

term_id sx_input(struct sx_exec *x, enum sx_input_kind kind, const struct ast_type *type,
                 struct src_loc loc, const char *name, uint64_t key)
{
    assert(type->kind == AST_INT);
    struct term_leaf leaf = {.kind = kind == SX_PARAM ? TERM_LEAF_PARAM : TERM_LEAF_NONDET,
                             .owner = x->sum->id,
                             .a = (uint32_t)x->inputs.len,
                             .bits = type->width,
                             .is_signed = type->is_signed,
                             .lo = ast_int_min(type),
                             .hi = ast_int_max(type),
                             .name = name};
    struct sx_input in = {.kind = kind,
                          .name = arena_strdup(x->arena, name),
                          .type = type,
                          .leaf = term_leaf(x->store, leaf),
                          .guard = sx_path(x),
                          .before = x->ok,
                          .key = key,
                          .loc = loc};
    vec_push(&x->inputs, in);
    vec_push(&x->input_loops, x->fold ? x->fold->loop : NULL);
    return in.leaf;
}

term_id sx_extent(struct sx_exec *x, uint64_t count)
{
    if (count != AST_ANY_ROWS)
        return term_const(x->store, (term_int)count);
    if (x->program->options.rows == 0)
        return x->program->size;
    return term_const(x->store, (term_int)x->program->options.rows);
}

term_id sx_is_index(struct sx_exec *x, term_id i, term_id extent)
{
    return term_and(x->store, term_le(x->store, term_const(x->store, 0), i),
                    term_lt(x->store, i, extent));
}

/* That it is an index is a fact here; those who give the leaf a value see to it. */
term_id sx_index_input(struct sx_exec *x, enum sx_input_kind kind, const struct ast_type *type,
                       uint64_t count, struct src_loc loc, const char *name, uint64_t key)
{
    term_id leaf = sx_input(x, kind, type, loc, name, key), extent = sx_extent(x, count);
    if (sx_is_shown(x, count)) /* a new row is one that transactions may write */
        extent = term_const(x->store, (term_int)x->program->options.shown + (kind != SX_FRESH));
    assert(count > 0);
    vec_last(&x->inputs).below = extent;
    facts_add(&x->facts, sx_is_index(x, leaf, extent));
    return leaf;
}

const char *sx_text(struct sx_exec *x, const struct ast_expr *e)
{
    if (!x->texts[e->id]) {
        const char *text = ast_text(x->ast, e);
        x->texts[e->id] = text ? text : "";
    }
    return x->texts[e->id];
}
