/* Formulas about whole states, see formula.h: leaves, and how cells and folds are made. */
#include "encode/proof/formula.h"

#include <assert.h>
#include <string.h>

#define COMPUTED (UINT64_C(1) << 63)
#define STATE_BITS (62 - FM_VARS)
#define OWNER UINT32_MAX /* of all leaves that are made here */

uint64_t fm_state_bit(uint32_t state)
{
    return UINT64_C(1) << (FM_VARS + (state < STATE_BITS ? state : STATE_BITS));
}

/* ---- leaves -------------------------------------------------------------------------------- */

term_id fm_unknown(struct fm *fm, const char *name, term_int lo, term_int hi)
{
    if (lo == hi)
        return term_const(fm->store, lo);
    return term_leaf(fm->store, (struct term_leaf){.kind = TERM_LEAF_FREE,
                                                   .owner = OWNER,
                                                   .bits = lo >= 0 && hi <= 1 ? 1 : 64,
                                                   .is_signed = lo < 0,
                                                   .lo = lo,
                                                   .hi = hi,
                                                   .name = name});
}

static struct fm_leaf *add_leaf(struct fm *fm, enum fm_leaf_kind kind, term_id term)
{
    struct fm_leaf *l = arena_new(&fm->arena, struct fm_leaf);
    l->kind = kind;
    l->term = term;
    vec_push(&fm->leaves, l);
    map_put(&fm->by_leaf, term_get(fm->store, term)->arg[0], fm->leaves.len, NULL);
    return l;
}

const struct fm_leaf *fm_leaf(const struct fm *fm, uint32_t leaf)
{
    uint64_t *at = map_get(&fm->by_leaf, leaf);
    return at ? fm->leaves.data[*at - 1] : NULL;
}

const struct fm_leaf *fm_leaf_of(const struct fm *fm, term_id t)
{
    const struct term *x = term_get(fm->store, t);
    return x->op == TERM_OP_LEAF ? fm_leaf(fm, x->arg[0]) : NULL;
}

uint32_t fm_var_number(const struct fm *fm, term_id var)
{
    const struct fm_leaf *l = fm_leaf_of(fm, var);
    assert(l && l->kind == FM_VAR);
    return l->var;
}

/* A value of a C type of 64 bits at most. */
static void make_vars(struct fm *fm)
{
    for (uint32_t i = 0; i < FM_VARS; i++) {
        fm->var[i] = fm_unknown(fm, "variable", term_type_min(64, true), term_type_max(64, false));
        struct fm_leaf *l = add_leaf(fm, FM_VAR, fm->var[i]);
        l->var = i;
        l->free = fm_var_bit(i);
    }
}

void fm_init(struct fm *fm, struct sx_program *sx)
{
    *fm = (struct fm){.sx = sx, .store = &sx->store};
    vec_push(&fm->states, ((struct fm_state){.kind = FM_UNKNOWN, .name = "any"}));
    for (size_t i = 0; i < sizeof fm->hole / sizeof *fm->hole; i++)
        fm->hole[i] = fm_unknown(fm, "argument", TERM_MIN / 4, TERM_MAX / 4);
    make_vars(fm);
    fm->size = sx->size; /* TERM_NONE: no dimension is of any size */
}

void fm_free(struct fm *fm)
{
    vec_free(&fm->leaves);
    vec_free(&fm->states);
    vec_free(&fm->left_sums);
    vec_free(&fm->free);
    vec_free(&fm->binds);
    map_free(&fm->by_leaf);
    map_free(&fm->by_hash);
    arena_free(&fm->arena);
}

const char *fm_place(struct fm *fm, struct src_loc loc)
{
    const struct ast_program *ast = fm->sx->ast;
    if (!loc.line || loc.file >= ast->n_texts)
        return NULL;
    return arena_printf(&fm->arena, "%s:%u", ast->file_names[loc.file], loc.line);
}

void fm_too_much(struct fm *fm, const char *what, struct src_loc loop)
{
    const char *place = fm_place(fm, loop);
    if (!fm->limit)
        fm->limit = place ? arena_printf(&fm->arena, "%s (the loop at %s)", what, place) : what;
}

/* ---- what is free, what is bound ----------------------------------------------------------- */

static void leaf_masks(struct fm *fm, term_id t, uint64_t *is_free, uint64_t *binds)
{
    const struct fm_leaf *l = fm_leaf_of(fm, t);
    *is_free = l ? l->free : 0;
    *binds = l ? l->binds : 0;
}

static void compute_masks(struct fm *fm, term_id root)
{
    VEC(term_id) stack = {0};
    vec_push(&stack, root);
    while (stack.len) {
        term_id t = vec_last(&stack);
        const struct term *x = term_get(fm->store, t);
        uint64_t is_free = 0, binds = 0;
        size_t before = stack.len;
        for (int i = 0; i < term_arity(x); i++)
            if (!(fm->free.data[x->arg[i]] & COMPUTED)) {
                vec_push(&stack, x->arg[i]);
            } else {
                is_free |= fm->free.data[x->arg[i]];
                binds |= fm->binds.data[x->arg[i]];
            }
        if (stack.len > before)
            continue;
        if (x->op == TERM_OP_LEAF)
            leaf_masks(fm, t, &is_free, &binds);
        fm->free.data[t] = is_free | COMPUTED;
        fm->binds.data[t] = binds;
        (void)vec_pop(&stack);
    }
    vec_free(&stack);
}

static void need_masks(struct fm *fm, term_id t)
{
    if (fm->free.len <= t) {
        vec_resize(&fm->free, fm->store->terms.len);
        vec_resize(&fm->binds, fm->store->terms.len);
    }
    if (!(fm->free.data[t] & COMPUTED))
        compute_masks(fm, t);
}

uint64_t fm_free_in(struct fm *fm, term_id t)
{
    if (t == TERM_NONE)
        return 0;
    need_masks(fm, t);
    return fm->free.data[t] & ~COMPUTED;
}

uint64_t fm_binds_in(struct fm *fm, term_id t)
{
    if (t == TERM_NONE)
        return 0;
    need_masks(fm, t);
    return fm->binds.data[t];
}

/* ---- states -------------------------------------------------------------------------------- */

uint32_t fm_unknown_state(struct fm *fm, const char *name)
{
    vec_push(&fm->states, ((struct fm_state){.kind = FM_UNKNOWN, .name = name}));
    return (uint32_t)fm->states.len - 1;
}

uint32_t fm_zero_state(struct fm *fm)
{
    vec_push(&fm->states, ((struct fm_state){.kind = FM_ZERO, .name = "zero"}));
    return (uint32_t)fm->states.len - 1;
}

uint32_t fm_overwritten(struct fm *fm, uint32_t below, const struct fm_write *by)
{
    vec_push(&fm->states, ((struct fm_state){
                              .kind = FM_OVERWRITTEN, .name = "after", .below = below, .by = by}));
    return (uint32_t)fm->states.len - 1;
}

/* ---- cells --------------------------------------------------------------------------------- */

term_id fm_dim(struct fm *fm, uint32_t table, uint32_t dim)
{
    uint64_t n = fm->sx->tables[table].dims[dim];
    return n == AST_ANY_ROWS ? fm->size : term_const(fm->store, (term_int)n);
}

/* The variables of a bulk write as indices of that row. */
static void bind_row(struct fm_subst *s, struct fm *fm, const struct fm_write *w,
                     const term_id *index)
{
    fm_subst_begin(s, fm);
    for (uint32_t b = 0; b < w->n_bound; b++) {
        uint32_t d = 0;
        while (w->index[d] != fm->var[FM_INDEX + b])
            d++;
        assert(d < fm->sx->tables[w->table].n_dims);
        fm_subst_var(s, fm->var[FM_INDEX + b], index[d]);
    }
}

term_id fm_hits(struct fm *fm, const struct fm_write *w, const term_id *index)
{
    struct fm_subst s;
    bind_row(&s, fm, w, index);
    term_id hit = TERM_TRUE;
    for (uint32_t d = 0; d < fm->sx->tables[w->table].n_dims; d++)
        hit = term_and(fm->store, hit, term_eq(fm->store, fm_subst(&s, w->index[d]), index[d]));
    hit = term_and(fm->store, hit, fm_subst(&s, w->guard));
    fm_subst_end(&s);
    return hit;
}

term_id fm_written(struct fm *fm, const struct fm_write *w, uint32_t field, const term_id *index)
{
    struct fm_subst s;
    bind_row(&s, fm, w, index);
    term_id value = fm_subst(&s, w->value[field]);
    fm_subst_end(&s);
    return value;
}

static uint64_t cell_hash(const struct fm *fm, const struct fm_cell *c)
{
    uint64_t h = hash_pair((uint64_t)c->state << 32 | c->table, c->field);
    for (uint32_t d = 0; d < fm->sx->tables[c->table].n_dims; d++)
        h = hash_pair(h, c->index[d]);
    return hash_pair(h, FM_CELL);
}

static bool same_cell(const struct fm *fm, const struct fm_cell *a, const struct fm_cell *b)
{
    return a->state == b->state && a->table == b->table && a->field == b->field &&
           !memcmp(a->index, b->index, fm->sx->tables[a->table].n_dims * sizeof *a->index);
}

static term_id cell_leaf(struct fm *fm, const struct fm_cell *c)
{
    uint64_t *first = map_put(&fm->by_hash, cell_hash(fm, c), 0, NULL);
    for (uint64_t i = *first; i; i = fm->leaves.data[i - 1]->next)
        if (fm->leaves.data[i - 1]->kind == FM_CELL &&
            same_cell(fm, &fm->leaves.data[i - 1]->cell, c))
            return fm->leaves.data[i - 1]->term;
    const struct sx_table *t = &fm->sx->tables[c->table];
    const struct ast_type *type = t->fields[c->field].type;
    uint32_t next = (uint32_t)*first;
    *first = fm->leaves.len + 1;
    struct fm_leaf *l =
        add_leaf(fm, FM_CELL, fm_unknown(fm, t->name, ast_int_min(type), ast_int_max(type)));
    l->next = next;
    l->cell = *c;
    l->cell.index = arena_copy(&fm->arena, c->index, t->n_dims * sizeof *c->index);
    l->free = fm_state_bit(c->state);
    for (uint32_t d = 0; d < t->n_dims; d++) {
        l->free |= fm_free_in(fm, c->index[d]);
        l->binds |= fm_binds_in(fm, c->index[d]);
    }
    return l->term;
}

static bool ground_row(struct fm *fm, uint32_t table, const term_id *index)
{
    for (uint32_t d = 0; d < fm->sx->tables[table].n_dims; d++)
        if (!fm_ground(fm, index[d]))
            return false;
    return true;
}

term_id fm_cell(struct fm *fm, uint32_t state, uint32_t table, uint32_t field, const term_id *index)
{
    const struct fm_state *s = &fm->states.data[state];
    while (s->kind == FM_OVERWRITTEN && (s->by->table != table || s->by->same[field])) {
        state = s->below;
        s = &fm->states.data[state];
    }
    if (s->kind == FM_ZERO)
        return term_const(fm->store, 0);
    if (s->kind == FM_UNKNOWN || !ground_row(fm, table, index))
        return cell_leaf(fm, &(struct fm_cell){state, table, field, index});
    term_id hit = fm_hits(fm, s->by, index);
    term_id below = fm_cell(fm, s->below, table, field, index);
    if (hit == TERM_FALSE)
        return below;
    s = &fm->states.data[state];
    return term_ite(fm->store, hit, fm_written(fm, s->by, field, index), below);
}

/* ---- folds --------------------------------------------------------------------------------- */

term_id fm_between(struct fm *fm, term_id lo, term_id t, term_id hi)
{
    return term_and(fm->store, term_le(fm->store, lo, t), term_lt(fm->store, t, hi));
}

term_id fm_in_fold(struct fm *fm, const struct fm_fold *f)
{
    term_id in = f->cond;
    for (uint32_t k = 0; k < f->n; k++)
        in = term_and(fm->store, in, fm_between(fm, f->lo[k], f->var[k], f->hi[k]));
    return in;
}

/* Calls fn for every term that a fold consists of. */
static void each_part(struct fm_fold *f, void (*fn)(void *arg, term_id *part), void *arg)
{
    for (uint32_t k = 0; k < f->n; k++) {
        fn(arg, &f->lo[k]);
        fn(arg, &f->hi[k]);
    }
    fn(arg, &f->cond);
    if (f->value != TERM_NONE)
        fn(arg, &f->value);
    if (f->start != TERM_NONE)
        fn(arg, &f->start);
}

struct masks {
    struct fm *fm;
    uint64_t free, binds;
};

static void add_masks(void *arg, term_id *part)
{
    struct masks *m = arg;
    m->free |= fm_free_in(m->fm, *part);
    m->binds |= fm_binds_in(m->fm, *part);
}

static uint64_t own_vars(const struct fm *fm, const struct fm_fold *f)
{
    uint64_t own = 0;
    for (uint32_t k = 0; k < f->n; k++)
        own |= fm_var_bit(fm_var_number(fm, f->var[k]));
    return own;
}

static void substitute_part(void *arg, term_id *part)
{
    *part = fm_subst(arg, *part);
}

/* The fold with other variables: the first binders that are not in `taken`. */
static void rename_vars(struct fm *fm, struct fm_fold *f, uint64_t taken)
{
    struct fm_subst s;
    bool other = false;
    uint32_t v = 0;
    fm_subst_begin(&s, fm);
    for (uint32_t k = f->n; k-- > 0; v++) {
        while (v < FM_BINDERS && (taken & fm_var_bit(v)))
            v++;
        if (v >= FM_BINDERS) {
            fm_too_much(fm, "loops are nested too deeply", f->loc);
            v = FM_BINDERS - 1;
        }
        if (f->var[k] == fm->var[v])
            continue;
        fm_subst_var(&s, f->var[k], fm->var[v]);
        f->var[k] = fm->var[v];
        other = true;
    }
    if (other)
        each_part(f, substitute_part, &s);
    fm_subst_end(&s);
}

static uint64_t fold_hash(const struct fm_fold *f)
{
    uint64_t h = hash_pair((uint64_t)f->kind << 8 | f->n, FM_FOLD);
    for (uint32_t k = 0; k < f->n; k++)
        h = hash_pair(hash_pair(h, f->var[k]), (uint64_t)f->lo[k] << 32 | f->hi[k]);
    return hash_pair(hash_pair(h, (uint64_t)f->cond << 32 | f->value), f->start);
}

static bool same_fold(const struct fm_fold *a, const struct fm_fold *b)
{
    bool same = a->kind == b->kind && a->n == b->n && a->cond == b->cond && a->value == b->value &&
                a->start == b->start;
    for (uint32_t k = 0; k < a->n && same; k++)
        same = a->var[k] == b->var[k] && a->lo[k] == b->lo[k] && a->hi[k] == b->hi[k];
    return same;
}

term_id fm_fold_leaf(struct fm *fm, const struct fm_fold *given, term_int lo, term_int hi)
{
    struct fm_fold f = *given;
    struct masks m = {.fm = fm};
    each_part(&f, add_masks, &m);
    rename_vars(fm, &f, (m.free & ~own_vars(fm, &f)) | m.binds);
    uint64_t *first = map_put(&fm->by_hash, fold_hash(&f), 0, NULL);
    for (uint64_t i = *first; i; i = fm->leaves.data[i - 1]->next)
        if (fm->leaves.data[i - 1]->kind == FM_FOLD && same_fold(&fm->leaves.data[i - 1]->fold, &f))
            return fm->leaves.data[i - 1]->term;
    uint32_t next = (uint32_t)*first;
    *first = fm->leaves.len + 1;
    static const char *const names[] = {"all", "sum", "least", "greatest", "first"};
    if (lo == hi) /* a leaf all the same: it has facts */
        hi++;
    struct fm_leaf *l = add_leaf(fm, FM_FOLD, fm_unknown(fm, names[f.kind], lo, hi));
    m = (struct masks){.fm = fm};
    each_part(&f, add_masks, &m);
    uint64_t own = own_vars(fm, &f);
    l->next = next;
    l->fold = f;
    l->free = m.free & ~own;
    l->binds = m.binds | own;
    return l->term;
}

static term_int least_of(term_int a, term_int b)
{
    return a < b ? a : b;
}

static term_int greatest_of(term_int a, term_int b)
{
    return a > b ? a : b;
}

term_id fm_fold(struct fm *fm, const struct fm_fold *f)
{
    if (f->kind == SX_FOLD_SUM)
        return fm_sum(fm, f);
    struct term lo = *term_get(fm->store, f->lo[0]), hi = *term_get(fm->store, f->hi[0]);
    assert(f->n == 1);
    if (f->kind == SX_FOLD_ALL)
        return f->cond == TERM_TRUE ? term_const(fm->store, 1) : fm_fold_leaf(fm, f, 0, 1);
    if (f->kind == SX_FOLD_FIRST)
        return f->cond == TERM_FALSE ? f->hi[0]
                                     : fm_fold_leaf(fm, f, least_of(lo.lo, hi.lo), hi.hi);
    struct term start = *term_get(fm->store, f->start), value = *term_get(fm->store, f->value);
    if (f->cond == TERM_FALSE)
        return f->start;
    return fm_fold_leaf(fm, f, least_of(start.lo, value.lo), greatest_of(start.hi, value.hi));
}

/* ---- substitution -------------------------------------------------------------------------- */

static term_id replace_cell(struct fm_subst *s, const struct fm_cell *c)
{
    struct fm *fm = s->fm;
    const struct sx_table *t = &fm->sx->tables[c->table];
    term_id *index = arena_array(&fm->arena, term_id, t->n_dims + 1);
    bool hit = s->hit && s->expanding && c->state == s->expand &&
               !memcmp(c->index, s->hit, t->n_dims * sizeof *index);
    bool move = s->move && c->state == s->from &&
                (!s->only || (c->table == s->only_table &&
                              !memcmp(c->index, s->only, t->n_dims * sizeof *index)));
    uint32_t state = move ? s->state : c->state;
    for (uint32_t d = 0; d < t->n_dims; d++)
        index[d] = fm_subst(s, c->index[d]);
    if (!s->expanding || c->state != s->expand)
        return fm_cell(fm, state, c->table, c->field, index);
    const struct fm_write *w = fm->states.data[c->state].by;
    term_id value = fm_written(fm, w, c->field, index);
    if (hit)
        return value;
    return term_ite(fm->store, fm_hits(fm, w, index), value,
                    fm_cell(fm, fm->states.data[c->state].below, c->table, c->field, index));
}

static term_id replace_fold(struct fm_subst *s, const struct fm_leaf *l)
{
    struct fm_fold f = l->fold;
    uint64_t own = own_vars(s->fm, &f);
    /* Its own variables must not be replaced, nor catch those of the replacements. */
    if (own & (s->range | s->touches))
        rename_vars(s->fm, &f, s->range | s->touches | l->free | l->binds);
    each_part(&f, substitute_part, s);
    return fm_fold(s->fm, &f);
}

static term_id replace_leaf(void *arg, uint32_t leaf)
{
    struct fm_subst *s = arg;
    const struct fm_leaf *l = fm_leaf(s->fm, leaf);
    if (!l || !(l->free & s->touches))
        return TERM_NONE;
    if (l->kind == FM_VAR)
        return s->to[l->var];
    return l->kind == FM_CELL ? replace_cell(s, &l->cell) : replace_fold(s, l);
}

void fm_subst_begin(struct fm_subst *s, struct fm *fm)
{
    *s = (struct fm_subst){.fm = fm};
    s->subst = (struct term_subst){.store = fm->store, .fn = replace_leaf, .arg = s};
}

void fm_subst_var(struct fm_subst *s, term_id var, term_id to)
{
    uint32_t v = fm_var_number(s->fm, var);
    s->to[v] = to;
    s->touches |= fm_var_bit(v);
    s->range |= fm_free_in(s->fm, to) & FM_VAR_BITS;
}

void fm_subst_state(struct fm_subst *s, uint32_t from, uint32_t to)
{
    s->move = true;
    s->from = from;
    s->state = to;
    s->touches |= fm_state_bit(from);
}

void fm_subst_expand(struct fm_subst *s, uint32_t state, const term_id *hit)
{
    s->expanding = true;
    s->expand = state;
    s->hit = hit;
    s->touches |= fm_state_bit(state);
}

term_id fm_subst(struct fm_subst *s, term_id t)
{
    if (t == TERM_NONE || !(fm_free_in(s->fm, t) & s->touches))
        return t;
    return term_substitute(&s->subst, t);
}

void fm_subst_end(struct fm_subst *s)
{
    term_subst_free(&s->subst);
}

term_id fm_at(struct fm *fm, term_id t, term_id var, term_id to)
{
    struct fm_subst s;
    fm_subst_begin(&s, fm);
    fm_subst_var(&s, var, to);
    term_id r = fm_subst(&s, t);
    fm_subst_end(&s);
    return r;
}

term_id fm_on(struct fm *fm, term_id t, uint32_t from, uint32_t to)
{
    struct fm_subst s;
    fm_subst_begin(&s, fm);
    fm_subst_state(&s, from, to);
    term_id r = fm_subst(&s, t);
    fm_subst_end(&s);
    return r;
}

/* ---- traversal ----------------------------------------------------------------------------- */

struct visit {
    struct fm *fm;
    void (*fn)(void *arg, const struct fm_leaf *leaf);
    void *arg;
    struct map seen;
    VEC(term_id) stack;
};

static void visit_part(void *arg, term_id *part)
{
    struct visit *v = arg;
    vec_push(&v->stack, *part);
}

static void visit_leaf(struct visit *v, const struct fm_leaf *l)
{
    v->fn(v->arg, l);
    if (l->kind == FM_CELL)
        for (uint32_t d = 0; d < v->fm->sx->tables[l->cell.table].n_dims; d++)
            vec_push(&v->stack, l->cell.index[d]);
    if (l->kind == FM_FOLD) {
        struct fm_fold f = l->fold;
        each_part(&f, visit_part, v);
    }
}

void fm_each_leaf(struct fm *fm, term_id t, void (*fn)(void *arg, const struct fm_leaf *leaf),
                  void *arg)
{
    struct visit v = {.fm = fm, .fn = fn, .arg = arg};
    vec_push(&v.stack, t);
    while (v.stack.len) {
        term_id now = vec_pop(&v.stack);
        bool is_new = false;
        if (now == TERM_NONE)
            continue;
        map_put(&v.seen, now, 1, &is_new);
        if (!is_new)
            continue;
        const struct term x = *term_get(fm->store, now);
        const struct fm_leaf *l = fm_leaf_of(fm, now);
        if (l)
            visit_leaf(&v, l);
        for (int i = term_arity(&x); i-- > 0;)
            vec_push(&v.stack, x.arg[i]);
    }
    vec_free(&v.stack);
    map_free(&v.seen);
}
