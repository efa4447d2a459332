/* Carried variables of a fold: from what a round does to what the loop does.
 *
 * At the end of the body the value of a carried variable is a term over its hole.  classify.c has
 * found its shape in the text; here the parts of the shape are taken from the term:
 *
 *   a sum        hole + e under conditions: e is summed up where the conditions hold
 *   a flag       a constant where the conditions hold, else the hole
 *   all, some    the value for the holes 0 and 1
 *   least …      e where the conditions hold; comparisons with the hole do not count, since the
 *                least of all e is also the least of those that were less when they came
 *
 * A term that does not look like its shape is refused: nothing here is guessed. */
#include <assert.h>

#include "symexec/fold.h"

/* Beyond every value of a C type, and of the sums that conditions compare. */
#define BEYOND ((term_int)1 << 100)
#define ADDENDS_MAX 32

struct sx_hole *sx_hole_find(const struct sx_fold_frame *f, term_id leaf)
{
    for (uint32_t i = 0; i < f->n_holes; i++)
        if (f->holes[i].leaf == leaf)
            return &f->holes[i];
    return NULL;
}

/* ---- addends: what contributes, where ------------------------------------------------------- */

struct addend {
    term_id cond, value;
};
struct addends {
    struct sx_exec *x;
    const struct sx_fold_frame *f;
    struct sx_hole *hole;
    struct addend list[ADDENDS_MAX];
    size_t n;
    bool wrapped; /* modulo the type of the variable */
};

static bool has_hole(struct sx_exec *x, term_id t)
{
    return sx_mask(x, t) & SX_MASK_HOLE;
}

static bool contribute(struct addends *a, term_id cond, term_id value)
{
    struct term_store *s = a->x->store;
    if (cond == TERM_FALSE)
        return true;
    for (size_t i = 0; i < a->n; i++)
        if (a->list[i].value == value) {
            /* Conditions exclude each other only where they come from one choice. */
            if (term_and(s, a->list[i].cond, cond) != TERM_FALSE)
                continue;
            a->list[i].cond = term_or(s, a->list[i].cond, cond);
            return true;
        }
    if (a->n == ADDENDS_MAX)
        return false;
    a->list[a->n++] = (struct addend){cond, value};
    return true;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static bool is_modulus(const struct addends *a, term_int m)
{
    term_int own = (term_int)1 << a->hole->var->type->width;
    return !a->hole->var->type->is_bool && m >= own && m % own == 0;
}

/* t is the hole plus addends. */
static bool add_sum(struct addends *a, term_id t, term_id cond)
{
    struct sx_exec *x = a->x;
    struct term n = *term_get(x->store, t);
    if (t == a->hole->leaf)
        return true;
    switch ((enum term_op)n.op) {
    case TERM_OP_FIT:
        return add_sum(a, n.arg[0], cond);
    case TERM_OP_WRAP:
        a->wrapped = true;
        return is_modulus(a, (term_int)1 << n.bits) && add_sum(a, n.arg[0], cond);
    case TERM_OP_FMOD:
        a->wrapped = true;
        return is_modulus(a, term_get(x->store, n.arg[1])->lo) && add_sum(a, n.arg[0], cond);
    case TERM_OP_ADD: {
        bool first = has_hole(x, n.arg[0]), second = has_hole(x, n.arg[1]);
        if (first == second)
            return false;
        return contribute(a, cond, n.arg[first ? 1 : 0]) && add_sum(a, n.arg[first ? 0 : 1], cond);
    }
    case TERM_OP_ITE: {
        if (has_hole(x, n.arg[0]))
            return false;
        term_id no = term_not(x->store, n.arg[0]);
        return add_sum(a, n.arg[1], term_and(x->store, cond, n.arg[0])) &&
               add_sum(a, n.arg[2], term_and(x->store, cond, no));
    }
    default:
        return false;
    }
}

static bool close_sum(struct addends *a, term_id now)
{
    struct sx_exec *x = a->x;
    struct sx_hole *h = a->hole;
    const struct ast_type *t = h->var->type;
    if (!add_sum(a, now, TERM_TRUE) || (a->wrapped && h->checked))
        return false;
    h->result = h->start;
    for (size_t i = 0; i < a->n; i++) {
        struct sx_fold f = {.kind = SX_FOLD_SUM,
                            .index = a->f->index,
                            .depth = a->f->depth,
                            .cond = a->list[i].cond,
                            .value = a->list[i].value,
                            .loc = a->f->loop->loc};
        h->result = term_add(x->store, h->result, sx_fold_make(x, f));
    }
    if (a->wrapped)
        h->result = term_wrap(x->store, t->width, t->is_signed, h->result);
    return true;
}

/* ---- flags ---------------------------------------------------------------------------------- */

/* t is the constant (*value, TERM_NONE until it is met), where the result holds, or the hole. */
static bool add_flag(struct addends *a, term_id t, term_id cond, term_id *value)
{
    struct sx_exec *x = a->x;
    struct term n = *term_get(x->store, t);
    if (t == a->hole->leaf)
        return true;
    if (n.op == TERM_OP_CONST) {
        if (*value == TERM_NONE)
            *value = t;
        a->hole->cond = term_or(x->store, a->hole->cond, cond);
        return *value == t;
    }
    if (n.op != TERM_OP_ITE || has_hole(x, n.arg[0]))
        return false;
    term_id no = term_not(x->store, n.arg[0]);
    return add_flag(a, n.arg[1], term_and(x->store, cond, n.arg[0]), value) &&
           add_flag(a, n.arg[2], term_and(x->store, cond, no), value);
}

static bool close_flag(struct addends *a, term_id now)
{
    struct sx_exec *x = a->x;
    term_id value = TERM_NONE;
    a->hole->cond = TERM_FALSE;
    if (!add_flag(a, now, TERM_TRUE, &value))
        return false;
    a->hole->result = a->hole->start;
    if (value != TERM_NONE)
        a->hole->result =
            term_ite(x->store, sx_fold_any(x, a->f, a->hole->cond), value, a->hole->start);
    return true;
}

/* ---- all, some ------------------------------------------------------------------------------ */

struct filling {
    term_id hole, with;
};

static term_id fill_one(void *arg, term_id leaf)
{
    struct filling *f = arg;
    return leaf == f->hole ? f->with : TERM_NONE;
}

static term_id filled_with(struct sx_exec *x, term_id t, term_id hole, term_int v)
{
    struct filling fill = {hole, term_const(x->store, v)};
    struct sx_rewrite r = {.x = x, .mapped = SX_MASK_HOLE, .hole = fill_one, .arg = &fill};
    t = sx_rewrite(&r, t);
    sx_rewrite_free(&r);
    return t;
}

static bool is_flag(struct sx_exec *x, term_id t)
{
    return term_get(x->store, t)->lo >= 0 && term_get(x->store, t)->hi <= 1;
}

/* v = v && e makes any number that is not zero 1, which shows if v was neither 0 nor 1. */
static bool close_logical(struct addends *a, term_id now)
{
    struct sx_exec *x = a->x;
    struct term_store *s = x->store;
    struct sx_hole *h = a->hole;
    bool all = h->shape == SX_SHAPE_ALL;
    term_id zero = term_const(s, 0), one = term_const(s, 1);
    term_id at0 = filled_with(x, now, h->leaf, 0), at1 = filled_with(x, now, h->leaf, 1);
    if (has_hole(x, at0) || has_hole(x, at1) || (all ? at0 != zero : at1 != one))
        return false;
    /* The round makes it false (all), true (some). */
    h->cond = all ? term_eq(s, at1, zero) : term_truth(s, at0);
    term_id changed = sx_fold_any(x, a->f, h->cond),
            flag = is_flag(x, h->start) ? TERM_TRUE : TERM_FALSE;
    if (flag == TERM_TRUE) {
        h->result = term_ite(s, changed, all ? zero : one, h->start);
        return true;
    }
    term_id at2 = filled_with(x, now, h->leaf, 2);
    if (has_hole(x, at2))
        return false;
    term_id was_zero = term_eq(s, h->start, zero);
    term_id normal = term_ite(s, sx_fold_any(x, a->f, term_eq(s, at2, one)), one, h->start);
    h->result = all ? term_ite(s, was_zero, zero, term_ite(s, changed, zero, normal))
                    : term_ite(s, was_zero, term_from_bool(s, changed), normal);
    return true;
}

/* ---- least, greatest ------------------------------------------------------------------------- */

/* Is the hole in the condition only compared, as it is? */
static bool only_compared(struct sx_exec *x, term_id t, int depth)
{
    struct term n = *term_get(x->store, t);
    if (!has_hole(x, t))
        return true;
    if (depth == 0)
        return false;
    switch ((enum term_op)n.op) {
    case TERM_OP_LEAF: /* not in a fold */
        return x->store->leaves.data[n.arg[0]].kind == TERM_LEAF_FREE;
    case TERM_OP_NOT:
    case TERM_OP_FIT:
        return only_compared(x, n.arg[0], depth - 1);
    case TERM_OP_AND:
    case TERM_OP_LE:
    case TERM_OP_ADD:
        return only_compared(x, n.arg[0], depth - 1) && only_compared(x, n.arg[1], depth - 1);
    default:
        return false;
    }
}

/* An inner fold has gone on from the hole: its own least of all, on its own. */
static term_id inner_extreme(struct addends *a, term_id t)
{
    struct sx_exec *x = a->x;
    const struct ast_type *type = a->hole->var->type;
    const struct term *n = term_get(x->store, t);
    bool least = a->hole->shape == SX_SHAPE_LEAST;
    if (n->op != TERM_OP_LEAF || x->store->leaves.data[n->arg[0]].kind != TERM_LEAF_FOLD)
        return TERM_NONE;
    struct sx_fold f = x->all_folds.data[x->store->leaves.data[n->arg[0]].a];
    if (f.kind != (least ? SX_FOLD_MIN : SX_FOLD_MAX) || f.start == TERM_NONE)
        return TERM_NONE;
    if (f.start != a->hole->leaf) {
        f.start = inner_extreme(a, f.start);
        if (f.start == TERM_NONE)
            return TERM_NONE;
    } else {
        f.start = term_const(x->store, least ? ast_int_max(type) : ast_int_min(type));
    }
    return sx_fold_make(x, f);
}

static bool add_extreme(struct addends *a, term_id t, term_id cond)
{
    struct sx_exec *x = a->x;
    struct term n = *term_get(x->store, t);
    if (t == a->hole->leaf)
        return true;
    if (!has_hole(x, t))
        return contribute(a, cond, t);
    if (n.op == TERM_OP_LEAF) {
        term_id inner = inner_extreme(a, t);
        return inner != TERM_NONE && contribute(a, cond, inner);
    }
    if (n.op != TERM_OP_ITE || !only_compared(x, n.arg[0], 40))
        return false;
    bool least = a->hole->shape == SX_SHAPE_LEAST;
    term_id c = filled_with(x, n.arg[0], a->hole->leaf, least ? BEYOND : -BEYOND);
    return add_extreme(a, n.arg[1], term_and(x->store, cond, c)) &&
           add_extreme(a, n.arg[2], term_and(x->store, cond, term_not(x->store, c)));
}

static struct sx_fold extreme_fold(const struct addends *a, size_t i, term_id start)
{
    return (struct sx_fold){.kind = a->hole->shape == SX_SHAPE_LEAST ? SX_FOLD_MIN : SX_FOLD_MAX,
                            .index = a->f->index,
                            .depth = a->f->depth,
                            .cond = a->list[i].cond,
                            .value = a->list[i].value,
                            .start = start,
                            .loc = a->f->loop->loc};
}

static bool close_extreme(struct addends *a, term_id now)
{
    struct sx_hole *h = a->hole;
    const struct ast_type *t = h->var->type;
    if (!add_extreme(a, now, TERM_TRUE)) {
        /* Several in a round: what the round alone makes of the greatest (least) value there is. */
        term_int beyond = h->shape == SX_SHAPE_LEAST ? ast_int_max(t) : ast_int_min(t);
        term_id alone = filled_with(a->x, now, h->leaf, beyond);
        a->n = 0;
        if (has_hole(a->x, alone) || !contribute(a, TERM_TRUE, alone))
            return false;
    }
    h->result = h->start;
    for (size_t i = 0; i < a->n; i++)
        h->result = sx_fold_make(a->x, extreme_fold(a, i, h->result));
    h->cond = a->n == 1 ? a->list[0].cond : TERM_NONE;
    h->value = a->n == 1 ? a->list[0].value : TERM_NONE;
    return true;
}

bool sx_hole_close(struct sx_exec *x, const struct sx_fold_frame *f, struct sx_hole *h, term_id now)
{
    struct addends a = {.x = x, .f = f, .hole = h};
    switch (h->shape) {
    case SX_SHAPE_SUM:
        return close_sum(&a, now);
    case SX_SHAPE_FLAG:
        return close_flag(&a, now);
    case SX_SHAPE_ALL:
    case SX_SHAPE_SOME:
        return close_logical(&a, now);
    case SX_SHAPE_LEAST:
    case SX_SHAPE_GREATEST:
        return close_extreme(&a, now);
    case SX_SHAPE_FOUND:
    case SX_SHAPE_NOTHING:
        h->result = h->start;
        return now == h->leaf;
    }
    return false;
}

/* ---- holes in guards --------------------------------------------------------------------------
 */

/* v = v && e looks at v: is it still what it was?  The same for v || e. */
static term_id logical_here(struct sx_exec *x, const struct sx_fold_frame *f,
                            const struct sx_hole *h)
{
    struct term_store *s = x->store;
    term_id first = sx_fold_first(x, f, h->cond), was = term_truth(s, h->start);
    if (h->shape == SX_SHAPE_ALL)
        return term_from_bool(s, term_and(s, was, term_le(s, f->index.leaf, first)));
    return term_from_bool(s, term_or(s, was, term_lt(s, first, f->index.leaf)));
}

/* The least of the rounds before this one: a fold whose index ends here. */
static term_id extreme_here(struct sx_exec *x, const struct sx_fold_frame *f,
                            const struct sx_hole *h)
{
    if (!h->cond || f->depth + 1 >= SX_DEPTH_MAX)
        return TERM_NONE;
    term_id leaf = sx_bound_leaf(x, f->depth + 1);
    struct sx_fold g = {.kind = h->shape == SX_SHAPE_LEAST ? SX_FOLD_MIN : SX_FOLD_MAX,
                        .index = {leaf, f->index.lo, f->index.leaf},
                        .depth = f->depth + 1,
                        .start = h->start,
                        .loc = f->loop->loc};
    vec_push(&x->bounds, g.index);
    g.cond = sx_at_index(x, h->cond, f->depth, leaf);
    g.value = sx_at_index(x, h->value, f->depth, leaf);
    (void)vec_pop(&x->bounds);
    return sx_fold_make(x, g);
}

struct filler {
    struct sx_exec *x;
    struct sx_fold_frame *f;
};

static term_id fill_here(void *arg, term_id leaf)
{
    struct filler *a = arg;
    struct sx_hole *h = sx_hole_find(a->f, leaf);
    if (!h)
        return TERM_NONE; /* of a fold around this one */
    if (h->here != TERM_NONE)
        return h->here;
    if (h->shape == SX_SHAPE_ALL || h->shape == SX_SHAPE_SOME)
        h->here = logical_here(a->x, a->f, h);
    else if (h->shape == SX_SHAPE_LEAST || h->shape == SX_SHAPE_GREATEST)
        h->here = extreme_here(a->x, a->f, h);
    else if (h->shape == SX_SHAPE_FOUND) /* only changed on the way out */
        h->here = h->start;
    if (h->here == TERM_NONE)
        sx_fold_cannot(a->x, a->f, a->f->loop->loc,
                       "a round looks at what the rounds before it left");
    return h->here;
}

term_id sx_holes_filled(struct sx_exec *x, struct sx_fold_frame *f, term_id t)
{
    struct filler fill = {x, f};
    struct sx_rewrite r = {.x = x, .mapped = SX_MASK_HOLE, .hole = fill_here, .arg = &fill};
    t = sx_rewrite(&r, t);
    sx_rewrite_free(&r);
    return t;
}
