/* Executing a loop as a fold: see fold.h. */
#include <assert.h>

#include "symexec/fold.h"

void sx_fold_cannot(struct sx_exec *x, const struct sx_fold_frame *f, struct src_loc at,
                    const char *why)
{
    if (x->failed)
        return;
    x->failed = true;
    if (f && term_is_const(x->store, f->index.hi)) {
        x->unrolled[f->loop->id] = true;
        x->again = true;
        return;
    }
    diag_add(x->diags, DIAG_ERROR, at,
             "this loop cannot be summarised for every number of rows: %s", why);
}

/* ---- entering ------------------------------------------------------------------------------- */

/* What surrounds the body, to be restored behind it. */
struct around {
    struct sx_state st;
    term_id ok;
    size_t mark;       /* of facts */
    size_t break_join; /* and the one of returns: */
    size_t join;
    uint32_t sp;
};

static term_id hole_leaf(struct sx_exec *x, const struct ast_var *v)
{
    struct term_leaf leaf = {.kind = TERM_LEAF_FREE,
                             .owner = x->sum->id,
                             .bits = v->type->width,
                             .is_signed = v->type->is_signed,
                             .lo = ast_int_min(v->type),
                             .hi = ast_int_max(v->type),
                             .name = v->name};
    return term_leaf(x->store, leaf);
}

static void make_holes(struct sx_exec *x, struct sx_fold_frame *f)
{
    f->n_holes = f->shape.n_carried;
    f->holes = arena_array(&x->scratch, struct sx_hole, f->n_holes + 1);
    for (uint32_t i = 0; i < f->n_holes; i++) {
        const struct ast_var *v = f->shape.carried[i].var;
        uint32_t cell = x->frame->base[v->id];
        struct sx_hole h = {.var = v,
                            .shape = f->shape.carried[i].shape,
                            .cell = cell,
                            .leaf = hole_leaf(x, v),
                            .start = env_get(&x->pool, x->st.locals, cell)};
        f->holes[i] = h;
        env_set(&x->pool, &x->st.locals, cell, h.leaf);
    }
}

static void enter(struct sx_exec *x, struct sx_fold_frame *f, struct around *a)
{
    struct term_store *s = x->store;
    *a = (struct around){.st = sx_fork(x, &x->st),
                         .ok = x->ok,
                         .mark = facts_mark(&x->facts),
                         .break_join = x->break_join,
                         .join = x->frame->join,
                         .sp = x->sp};
    term_int least = facts_range(&x->facts, f->index.lo).lo;
    facts_add(&x->facts, term_le(s, term_const(s, least), f->index.leaf));
    facts_add(&x->facts, term_le(s, f->index.lo, f->index.leaf));
    facts_add(&x->facts, term_lt(s, f->index.leaf, f->index.hi));
    f->outer = x->fold;
    x->fold = f;
    vec_push(&x->bounds, f->index);
    f->first_point = x->points.len;
    x->ok = TERM_TRUE;
    env_set(&x->pool, &x->st.locals, x->frame->base[f->loop->fold->index->id], f->index.leaf);
    make_holes(x, f);
    sx_layers_open(x, f);
    vec_push(&x->levels, ((struct sx_level){TERM_TRUE, TERM_TRUE}));
    x->st.live = TERM_TRUE;
}

/* ---- the body ------------------------------------------------------------------------------- */

/* Where a round ends. */
struct ends {
    struct sx_state next, broke, returned;
    bool goes_on, breaks, returns;
    /* What is carried out, without holes: of each hole where it broke, each cell returned, and the
     * condition that it returned. */
    sx_value *broke_with, *returned_with;
    term_id by_return;
};

static void run_body(struct sx_exec *x, const struct ast_stmt *loop, struct ends *e)
{
    size_t outer = x->continue_join;
    x->frame->join = sx_join_open(x);
    x->break_join = sx_join_open(x);
    x->continue_join = sx_join_open(x);
    sx_exec_stmt(x, loop->body);
    sx_join_close(x);
    x->continue_join = outer;
    e->breaks = sx_join_take(x, &e->broke);
    e->returns = sx_join_take(x, &e->returned);
    e->goes_on = !sx_stopped(x);
    e->next = x->st;
    (void)vec_pop(&x->levels);
}

/* All executions of the round, as far as rows are concerned.  False: there are none. */
static bool round_of(struct sx_exec *x, const struct ends *e, struct sx_state *round)
{
    const struct sx_state *list[3];
    int n = 0;
    if (e->goes_on)
        list[n++] = &e->next;
    if (e->breaks)
        list[n++] = &e->broke;
    if (e->returns)
        list[n++] = &e->returned;
    if (n == 0)
        return false;
    *round = *list[0];
    for (int i = 1; i < n; i++)
        *round = sx_unite_rows(x, *round, *list[i]);
    return true;
}

/* ---- carried variables ------------------------------------------------------------------------
 */

struct changes {
    struct sx_exec *x;
    const struct sx_fold_frame *f;
    bool unknown; /* a cell that is not carried has changed */
};

static uint32_t note_change(void *arg, uint32_t cell, uint32_t a, uint32_t b)
{
    struct changes *c = arg;
    uint32_t result = c->x->frame->result, n = sx_cells(c->x, c->x->frame->func->result);
    bool known = cell >= result && cell < result + n;
    (void)b;
    for (uint32_t i = 0; i < c->f->n_holes; i++)
        known |= c->f->holes[i].cell == cell;
    known |= cell == c->x->frame->base[c->f->loop->fold->index->id];
    c->unknown |= !known;
    return a;
}

/* Nothing but carried variables (and what is returned) may differ behind the loop. */
static bool only_carried(struct sx_exec *x, const struct sx_fold_frame *f, struct around *a,
                         struct sx_state *end)
{
    struct changes c = {x, f, false};
    struct sx_state before = sx_fork(x, &a->st), after = sx_fork(x, end);
    env_merge(&x->pool, &before.locals, after.locals, a->sp, note_change, &c);
    return !c.unknown;
}

static void close_holes(struct sx_exec *x, struct sx_fold_frame *f, struct ends *e)
{
    for (uint32_t i = 0; i < f->n_holes && !x->failed; i++) {
        struct sx_hole *h = &f->holes[i];
        h->result = h->start;
        if (!e->goes_on)
            continue;
        term_id now = env_get(&x->pool, e->next.locals, h->cell);
        if (!sx_hole_close(x, f, h, now))
            sx_fold_cannot(
                x, f, f->loop->loc,
                arena_printf(x->arena, "what '%s' gets has no shape of a fold", h->var->name));
    }
}

/* ---- leaving -------------------------------------------------------------------------------- */

static void restore(struct sx_exec *x, struct sx_fold_frame *f, const struct around *a)
{
    x->st = a->st;
    x->ok = a->ok;
    x->fold = f->outer;
    (void)vec_pop(&x->bounds);
    x->break_join = a->break_join;
    x->frame->join = a->join;
    x->sp = a->sp;
}

static uint32_t result_cells(struct sx_exec *x)
{
    return sx_cells(x, x->frame->func->result);
}

static sx_value without_holes(struct sx_exec *x, struct sx_fold_frame *f, struct env locals,
                              uint32_t cell)
{
    sx_value v = env_get(&x->pool, locals, cell);
    return v & SX_POINTER_TAG ? v : sx_holes_filled(x, f, v);
}

static void fill_ends(struct sx_exec *x, struct sx_fold_frame *f, struct ends *e)
{
    uint32_t n = result_cells(x);
    e->broke_with = arena_array(&x->scratch, sx_value, f->n_holes + 1);
    e->returned_with = arena_array(&x->scratch, sx_value, n + 1);
    for (uint32_t i = 0; e->breaks && i < f->n_holes; i++)
        e->broke_with[i] = without_holes(x, f, e->broke.locals, f->holes[i].cell);
    for (uint32_t i = 0; e->returns && i < n; i++)
        e->returned_with[i] = without_holes(x, f, e->returned.locals, x->frame->result + i);
    if (e->returns)
        e->by_return = sx_holes_filled(x, f, e->returned.live);
}

/* A value of the round that left the loop, at its index. */
static sx_value value_at(struct sx_exec *x, const struct sx_fold_frame *f, sx_value v, term_id left)
{
    return v & SX_POINTER_TAG ? v : sx_at_index(x, v, f->depth, left);
}

static bool mentions(struct sx_exec *x, const struct sx_fold_frame *f, sx_value v)
{
    return !(v & SX_POINTER_TAG) && sx_mask(x, v) & UINT32_C(1) << f->depth;
}

/* Does anything that is carried out depend on which round left? */
static bool index_shows(struct sx_exec *x, const struct sx_fold_frame *f, const struct ends *e)
{
    bool shows = e->breaks && e->returns && mentions(x, f, e->by_return);
    for (uint32_t i = 0; e->breaks && i < f->n_holes; i++)
        shows |= mentions(x, f, e->broke_with[i]);
    for (uint32_t i = 0; e->returns && i < result_cells(x); i++)
        shows |= mentions(x, f, e->returned_with[i]);
    return shows;
}

static void leave_by_return(struct sx_exec *x, struct sx_fold_frame *f, const struct ends *e,
                            term_id cond, term_id left)
{
    struct sx_state rest = sx_fork(x, &x->st);
    uint32_t n = result_cells(x), result = x->frame->result;
    for (uint32_t i = 0; i < n; i++)
        env_set(&x->pool, &x->st.locals, result + i, value_at(x, f, e->returned_with[i], left));
    sx_jump(x, x->frame->join, cond);
    rest.live = x->st.live;
    rest.gone = x->st.gone;
    x->st = rest;
    facts_add(&x->facts, term_not(x->store, cond));
}

static void leave_by_break(struct sx_exec *x, struct sx_fold_frame *f, const struct ends *e,
                           term_id cond, term_id left)
{
    for (uint32_t i = 0; i < f->n_holes; i++) {
        struct sx_hole *h = &f->holes[i];
        sx_value v = value_at(x, f, e->broke_with[i], left);
        h->result = term_ite(x->store, cond, v, h->result);
        env_set(&x->pool, &x->st.locals, h->cell, h->result);
    }
}

/* The loop is left at the first index that leaves it: by break or by return, whatever that round
 * does. */
static void leave_early(struct sx_exec *x, struct sx_fold_frame *f, const struct ends *e)
{
    struct term_store *s = x->store;
    if (f->leaves == TERM_FALSE)
        return;
    bool shows = index_shows(x, f, e);
    term_id left = f->index.lo, found;
    if (shows) {
        left = sx_fold_first(x, f, f->leaves);
        found = term_lt(s, left, f->index.hi);
    } else {
        found = sx_fold_any(x, f, f->leaves);
    }
    term_id by_return = e->returns ? found : TERM_FALSE;
    if (e->returns && e->breaks)
        by_return = term_and(s, found, value_at(x, f, e->by_return, left));
    if (e->breaks)
        leave_by_break(x, f, e, found, left);
    if (e->returns && !sx_stopped(x))
        leave_by_return(x, f, e, by_return, left);
}

/* A sum that may overflow does so if its total does. */
static void set_carried(struct sx_exec *x, struct sx_fold_frame *f)
{
    for (uint32_t i = 0; i < f->n_holes && !sx_stopped(x); i++) {
        struct sx_hole *h = &f->holes[i];
        const struct ast_type *t = h->var->type;
        if (h->checked) {
            term_id inside = term_in_range(x->store, h->result, ast_int_min(t), ast_int_max(t));
            sx_require(x, SX_OVERFLOW, inside, h->loc, h->text);
            if (!x->ideal)
                h->result = term_fit(x->store, t->width, t->is_signed, h->result);
        }
        env_set(&x->pool, &x->st.locals, h->cell, h->result);
    }
}

void sx_fold_execute(struct sx_exec *x, const struct ast_stmt *loop, term_id lo, term_id hi)
{
    struct sx_fold_frame f = {.loop = loop,
                              .depth = (uint32_t)x->bounds.len,
                              .shape = sx_fold_shape(loop, &x->scratch),
                              .stops = TERM_FALSE};
    struct around a;
    struct ends e = {0};
    struct sx_state round;
    if (f.depth + 2 >= SX_DEPTH_MAX) {
        sx_fold_cannot(x, NULL, loop->loc, "it is in too many other loops");
        return;
    }
    f.index = (struct sx_bound){sx_bound_leaf(x, f.depth), lo, hi};
    enter(x, &f, &a);
    run_body(x, loop, &e);
    facts_undo(&x->facts, a.mark);
    f.leaves = term_or(x->store, e.breaks ? e.broke.live : TERM_FALSE,
                       e.returns ? e.returned.live : TERM_FALSE);
    bool any = !x->failed && round_of(x, &e, &round);
    if (any && !((!e.goes_on || only_carried(x, &f, &a, &e.next)) &&
                 (!e.breaks || only_carried(x, &f, &a, &e.broke))))
        sx_fold_cannot(x, &f, loop->loc, "a round changes what is not carried in a known shape");
    close_holes(x, &f, &e);
    f.leaves = sx_holes_filled(x, &f, f.leaves);
    struct sx_fold_points points = sx_fold_points(x, &f);
    sx_layers_close(x, &f, any ? &round : NULL);
    sx_fold_lift(x, &f);
    fill_ends(x, &f, &e);
    restore(x, &f, &a);
    if (!x->failed) {
        sx_fold_hand_over(x, &f);
        sx_layers_hand_over(x, &f);
        sx_fold_points_add(x, &points);
        set_carried(x, &f);
        leave_early(x, &f, &e);
    }
    vec_free(&f.reads);
    vec_free(&f.locks);
}
