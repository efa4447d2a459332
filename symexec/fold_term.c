/* FOLD and BOUND leaves: made once, simplified, and what they depend on. */
#include <assert.h>

#include "symexec/fold.h"

/* ---- what a term depends on ----------------------------------------------------------------- */

static uint32_t mask_of_leaf(struct sx_exec *x, uint32_t leaf)
{
    struct term_leaf l = x->store->leaves.data[leaf];
    uint32_t mask = 0;
    switch (l.kind) {
    case TERM_LEAF_BOUND:
        return UINT32_C(1) << l.a;
    case TERM_LEAF_FREE:
        return SX_MASK_HOLE;
    case TERM_LEAF_EXT: {
        const struct sx_row row = x->reads.data[l.a].row;
        for (uint32_t i = 0; i < x->program->tables[row.table].n_dims; i++)
            mask |= sx_mask(x, row.index[i]);
        return mask;
    }
    case TERM_LEAF_FOLD: {
        const struct sx_fold f = x->all_folds.data[l.a];
        mask = sx_mask(x, f.cond);
        if (f.value)
            mask |= sx_mask(x, f.value);
        mask &= ~(UINT32_C(1) << f.depth);
        if (f.start)
            mask |= sx_mask(x, f.start);
        return mask | sx_mask(x, f.index.lo) | sx_mask(x, f.index.hi);
    }
    default:
        return 0;
    }
}

#define KNOWN (UINT32_C(1) << 30) /* depths are less than SX_DEPTH_MAX */

static bool args_known(struct sx_exec *x, const struct term *t, sx_ids *stack, uint32_t *mask)
{
    size_t before = stack->len;
    for (int i = 0; i < term_arity(t); i++) {
        uint32_t m = x->masks.data[t->arg[i]];
        *mask |= m;
        if (!(m & KNOWN))
            vec_push(stack, t->arg[i]);
    }
    return stack->len == before;
}

uint32_t sx_mask(struct sx_exec *x, term_id root)
{
    sx_ids stack = {0};
    if (x->masks.len < x->store->terms.len)
        vec_resize(&x->masks, x->store->terms.len);
    if (x->masks.data[root] & KNOWN)
        return x->masks.data[root] & ~KNOWN;
    vec_push(&stack, root);
    while (stack.len > 0) {
        term_id id = vec_last(&stack);
        struct term t = *term_get(x->store, id);
        uint32_t mask = 0;
        if (!(x->masks.data[id] & KNOWN)) {
            if (!args_known(x, &t, &stack, &mask))
                continue;
            if (t.op == TERM_OP_LEAF)
                mask = mask_of_leaf(x, t.arg[0]);
            x->masks.data[id] = mask | KNOWN;
        }
        (void)vec_pop(&stack);
    }
    vec_free(&stack);
    return x->masks.data[root] & ~KNOWN;
}

/* ---- leaves --------------------------------------------------------------------------------- */

term_id sx_bound_leaf(struct sx_exec *x, uint32_t depth)
{
    assert(depth < SX_DEPTH_MAX);
    while (x->bound_leaves.len <= depth) {
        uint32_t d = (uint32_t)x->bound_leaves.len;
        struct term_leaf leaf = {.kind = TERM_LEAF_BOUND,
                                 .owner = x->sum->id,
                                 .a = d,
                                 .bits = 32,
                                 .is_signed = true,
                                 .lo = term_type_min(32, true),
                                 .hi = term_type_max(32, true) - 1};
        vec_push(&x->bound_leaves, term_leaf(x->store, leaf));
    }
    return x->bound_leaves.data[depth];
}

static term_int times(term_int n, term_int v)
{
    term_int r;
    if (v <= TERM_MIN || v >= TERM_MAX || __builtin_mul_overflow(n, v, &r))
        return v < 0 ? TERM_MIN : TERM_MAX;
    return r;
}

/* How many indices there are at most. */
static term_int most_rounds(struct sx_exec *x, const struct sx_fold *f)
{
    term_int n = term_get(x->store, f->index.hi)->hi - term_get(x->store, f->index.lo)->lo;
    return n < 0 ? 0 : n;
}

static void set_interval(struct sx_exec *x, const struct sx_fold *f, struct term_leaf *leaf)
{
    struct term lo = *term_get(x->store, f->index.lo), hi = *term_get(x->store, f->index.hi);
    struct term v = f->value ? *term_get(x->store, f->value) : (struct term){0};
    struct term start = f->start ? *term_get(x->store, f->start) : (struct term){0};
    term_int n = most_rounds(x, f);
    switch (f->kind) {
    case SX_FOLD_ALL:
        leaf->lo = 0, leaf->hi = 1;
        return;
    case SX_FOLD_SUM:
        leaf->lo = v.lo < 0 ? times(n, v.lo) : 0;
        leaf->hi = v.hi > 0 ? times(n, v.hi) : 0;
        return;
    case SX_FOLD_MIN:
        leaf->lo = v.lo < start.lo ? v.lo : start.lo, leaf->hi = start.hi;
        return;
    case SX_FOLD_MAX:
        leaf->lo = start.lo, leaf->hi = v.hi > start.hi ? v.hi : start.hi;
        return;
    case SX_FOLD_FIRST:
        leaf->lo = lo.lo < hi.lo ? lo.lo : hi.lo, leaf->hi = hi.hi;
    }
}

/* ---- folds ---------------------------------------------------------------------------------- */

/* There is no index at all. */
static term_id is_empty(struct sx_exec *x, const struct sx_fold *f)
{
    return term_le(x->store, f->index.hi, f->index.lo);
}

/* What needs no fold; TERM_NONE otherwise.  ALL as a number, as its leaf is. */
static term_id simplified(struct sx_exec *x, const struct sx_fold *f)
{
    struct term_store *s = x->store;
    term_id zero = term_const(s, 0);
    bool none = f->cond == TERM_FALSE, every = f->cond == TERM_TRUE;
    switch (f->kind) {
    case SX_FOLD_ALL:
        if (sx_mask(x, f->cond) & UINT32_C(1) << f->depth)
            return TERM_NONE;
        return term_from_bool(s, term_or(s, is_empty(x, f), f->cond));
    case SX_FOLD_SUM:
        if (none || f->value == zero)
            return zero;
        if (!every || !term_is_const(s, f->value))
            return TERM_NONE;
        return term_ite(s, is_empty(x, f), zero,
                        term_mul(s, term_sub(s, f->index.hi, f->index.lo), f->value));
    case SX_FOLD_MIN:
    case SX_FOLD_MAX:
        return none ? f->start : TERM_NONE;
    case SX_FOLD_FIRST:
        if (none)
            return f->index.hi;
        return every ? term_ite(s, is_empty(x, f), f->index.hi, f->index.lo) : TERM_NONE;
    }
    return TERM_NONE;
}

static bool same_fold(const struct sx_fold *a, const struct sx_fold *b)
{
    return a->kind == b->kind && a->depth == b->depth && a->index.lo == b->index.lo &&
           a->index.hi == b->index.hi && a->cond == b->cond && a->value == b->value &&
           a->start == b->start;
}

static uint64_t hash_fold(const struct sx_fold *f)
{
    uint64_t h = hash_pair((uint64_t)f->kind << 32 | f->depth, f->cond);
    h = hash_pair(h, (uint64_t)f->index.lo << 32 | f->index.hi);
    return hash_pair(h, (uint64_t)f->value << 32 | f->start);
}

/* The leaf of a fold, always the same for equal ones. */
static term_id leaf_of(struct sx_exec *x, struct sx_fold f)
{
    uint64_t key = hash_fold(&f);
    for (;; key++) {
        uint64_t *slot = map_put(&x->fold_index, key, 0, NULL); /* fold + 1 */
        if (*slot && same_fold(&x->all_folds.data[*slot - 1], &f))
            return x->all_folds.data[*slot - 1].leaf;
        if (*slot)
            continue;
        struct term_leaf leaf = {.kind = TERM_LEAF_FOLD,
                                 .owner = x->sum->id,
                                 .a = (uint32_t)x->all_folds.len,
                                 .bits = 64,
                                 .is_signed = true};
        set_interval(x, &f, &leaf);
        if (leaf.lo == leaf.hi) /* one value: nothing to look at */
            return term_const(x->store, leaf.lo);
        f.leaf = term_leaf(x->store, leaf);
        vec_push(&x->all_folds, f);
        *slot = x->all_folds.len;
        return f.leaf;
    }
}

term_id sx_fold_make(struct sx_exec *x, struct sx_fold f)
{
    term_id v = simplified(x, &f);
    if (v == TERM_NONE)
        v = leaf_of(x, f);
    return f.kind == SX_FOLD_ALL ? term_truth(x->store, v) : v;
}

static struct sx_fold fold_of(const struct sx_fold_frame *f, enum sx_fold_kind kind, term_id cond)
{
    return (struct sx_fold){
        .kind = kind, .index = f->index, .depth = f->depth, .cond = cond, .loc = f->loop->loc};
}

term_id sx_fold_all(struct sx_exec *x, const struct sx_fold_frame *f, term_id cond)
{
    return sx_fold_make(x, fold_of(f, SX_FOLD_ALL, cond));
}

term_id sx_fold_any(struct sx_exec *x, const struct sx_fold_frame *f, term_id cond)
{
    return term_not(x->store, sx_fold_all(x, f, term_not(x->store, cond)));
}

term_id sx_fold_first(struct sx_exec *x, const struct sx_fold_frame *f, term_id cond)
{
    return sx_fold_make(x, fold_of(f, SX_FOLD_FIRST, cond));
}
