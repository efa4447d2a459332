/* States, levels and joins: where the executor forks and merges. */
#include <assert.h>

#include "symexec/exec.h"

static struct sx_level *top(struct sx_exec *x)
{
    return &x->levels.data[x->levels.len - 1];
}

term_id sx_path(struct sx_exec *x)
{
    term_id full = top(x)->full;
    if (x->path_memo == TERM_NONE || full != x->path_full || x->st.live != x->path_live) {
        x->path_full = full;
        x->path_live = x->st.live;
        x->path_memo = term_and(x->store, full, x->st.live);
    }
    return x->path_memo;
}

/* ---- merging ------------------------------------------------------------------------------- */

static bool same_target(const struct sx_target *a, const struct sx_target *b)
{
    return a->kind == b->kind && a->var == b->var && a->offset == b->offset &&
           a->n_index == b->n_index &&
           (a->n_index == 0 || memcmp(a->index, b->index, a->n_index * sizeof *a->index) == 0);
}

static void add_alternatives(struct sx_exec *x, struct sx_place *to, struct sx_place from,
                             term_id c)
{
    for (size_t i = 0; i < from.n; i++) {
        term_id cond = term_and(x->store, c, from.alts[i].cond);
        size_t j = 0;
        while (j < to->n && !same_target(&to->alts[j].to, &from.alts[i].to))
            j++;
        if (j < to->n) {
            to->alts[j].cond = term_or(x->store, to->alts[j].cond, cond);
        } else if (cond != TERM_FALSE) {
            to->alts[to->n] = from.alts[i];
            to->alts[to->n++].cond = cond;
        }
    }
}

static sx_value choose_pointer(struct sx_exec *x, term_id c, sx_value a, sx_value b)
{
    struct sx_place p = x->pointers.data[a & ~SX_POINTER_TAG];
    struct sx_place q = x->pointers.data[b & ~SX_POINTER_TAG];
    struct sx_place r = {.alts = arena_array(&x->scratch, struct sx_alt, p.n + q.n + 1)};
    add_alternatives(x, &r, p, c);
    add_alternatives(x, &r, q, term_not(x->store, c));
    return sx_pointer(x, r);
}

sx_value sx_choose(struct sx_exec *x, term_id c, sx_value a, sx_value b)
{
    if (a == b || c == TERM_TRUE)
        return a;
    if (c == TERM_FALSE)
        return b;
    if (a & SX_POINTER_TAG)
        return choose_pointer(x, c, a, b);
    return term_ite(x->store, c, a, b);
}

struct choice {
    struct sx_exec *x;
    term_id cond;
    struct env a, b; /* rows, or what was read */
};

static uint32_t choose_cell(void *arg, uint32_t cell, uint32_t a, uint32_t b)
{
    struct choice *c = arg;
    (void)cell;
    if (a == 0 || b == 0) /* storage that one side has not used */
        return a ? a : b;
    /* Cells are reused: what one side left behind in storage that is not in use again yet may be of
     * another kind.  Its value does not matter. */
    if ((a ^ b) & SX_POINTER_TAG)
        return a;
    return sx_choose(c->x, c->cond, a, b);
}

static uint32_t choose_row(void *arg, uint32_t object, uint32_t a, uint32_t b)
{
    struct choice *c = arg;
    return sx_row_choose(c->x, c->cond, object, c->a, a, c->b, b);
}

static uint32_t choose_seen(void *arg, uint32_t object, uint32_t a, uint32_t b)
{
    struct choice *c = arg;
    return sx_seen_choose(c->x, c->cond, object, c->a, a, c->b, b);
}

/* The state that is `a` where cond holds and `b` elsewhere; storage below `cells` is in use. */
static struct sx_state merge_states(struct sx_exec *x, term_id cond, struct sx_state a,
                                    struct sx_state b, uint32_t cells)
{
    struct choice c = {x, cond, a.rows, b.rows};
    if (cond == TERM_TRUE || cond == TERM_FALSE)
        return cond == TERM_TRUE ? a : b;
    env_merge(&x->pool, &a.locals, b.locals, cells, choose_cell, &c);
    env_merge(&x->pool, &a.rows, b.rows, ENV_CELLS, choose_row, &c);
    struct choice seen = {x, cond, a.seen, b.seen};
    env_merge(&x->pool, &a.seen, b.seen, ENV_CELLS, choose_seen, &seen);
    return a;
}

static bool is_atomic(struct sx_exec *x, term_id c)
{
    const struct term *t = term_get(x->store, c);
    if (t->op == TERM_OP_NOT)
        t = term_get(x->store, t->arg[0]);
    return t->op != TERM_OP_AND && t->op != TERM_OP_ITE;
}

/* Two states of one level, for disjoint sets of executions a.live and b.live. */
static struct sx_state unite(struct sx_exec *x, struct sx_state a, struct sx_state b,
                             uint32_t cells)
{
    term_id live = term_or(x->store, a.live, b.live);
    struct sx_state r;
    if (a.gone || a.live == TERM_FALSE)
        r = b;
    else if (b.gone || b.live == TERM_FALSE)
        r = a;
    else if (!is_atomic(x, a.live) && is_atomic(x, b.live))
        r = merge_states(x, b.live, b, a, cells);
    else
        r = merge_states(x, a.live, a, b, cells);
    r.live = live;
    r.gone = (a.gone || a.live == TERM_FALSE) && (b.gone || b.live == TERM_FALSE);
    return r;
}

void sx_merge(struct sx_exec *x, struct sx_state other)
{
    x->st = unite(x, other, x->st, x->sp);
}

struct sx_state sx_unite_rows(struct sx_exec *x, struct sx_state a, struct sx_state b)
{
    return unite(x, sx_fork(x, &a), sx_fork(x, &b), 0);
}

struct sx_state sx_fork(struct sx_exec *x, struct sx_state *of)
{
    struct sx_state s = *of;
    s.locals = env_fork(&x->pool, &of->locals);
    s.rows = env_fork(&x->pool, &of->rows);
    s.seen = env_fork(&x->pool, &of->seen);
    return s;
}

/* ---- branches ------------------------------------------------------------------------------ */

static void enter(struct sx_exec *x, term_id cond)
{
    struct sx_level l = {.relative = term_and(x->store, x->st.live, cond),
                         .full = term_and(x->store, sx_path(x), cond)};
    vec_push(&x->levels, l);
    x->st.live = TERM_TRUE;
    facts_add(&x->facts, cond);
}

void sx_branch_then(struct sx_exec *x, struct sx_branch *b, term_id cond)
{
    *b = (struct sx_branch){.cond = cond, .live = x->st.live, .mark = facts_mark(&x->facts)};
    b->other = sx_fork(x, &x->st);
    enter(x, cond);
}

void sx_branch_else(struct sx_exec *x, struct sx_branch *b)
{
    struct sx_state then = x->st;
    facts_undo(&x->facts, b->mark);
    (void)vec_pop(&x->levels);
    x->st = b->other;
    b->other = then;
    enter(x, term_not(x->store, b->cond));
}

void sx_branch_join(struct sx_exec *x, struct sx_branch *b)
{
    struct sx_state then = b->other, other = x->st, r;
    facts_undo(&x->facts, b->mark);
    (void)vec_pop(&x->levels);
    bool no_then = then.gone || then.live == TERM_FALSE;
    bool no_other = other.gone || other.live == TERM_FALSE;
    if (no_then)
        r = other;
    else if (no_other)
        r = then;
    else
        r = merge_states(x, b->cond, then, other, x->sp);
    term_id live = term_ite(x->store, b->cond, then.live, other.live);
    r.live = term_and(x->store, b->live, live);
    r.gone = no_then && no_other && r.live != TERM_FALSE;
    x->st = r;
    /* Who is still here did not leave; who stopped does not matter. */
    facts_add(&x->facts, live);
    if (no_then != no_other)
        facts_add(&x->facts, no_then ? term_not(x->store, term_and(x->store, b->cond, then.live))
                                     : term_or(x->store, b->cond, term_not(x->store, other.live)));
}

/* ---- joins --------------------------------------------------------------------------------- */

size_t sx_join_open(struct sx_exec *x)
{
    struct sx_level l = {.relative = x->st.live, .full = sx_path(x)};
    struct sx_join j = {.level = x->levels.len + 1, .cells = x->sp, .mark = facts_mark(&x->facts)};
    vec_push(&x->levels, l);
    vec_push(&x->joins, j);
    x->st.live = TERM_TRUE;
    return x->joins.len - 1;
}

void sx_jump(struct sx_exec *x, size_t join, term_id cond)
{
    struct sx_join *j = &x->joins.data[join];
    if (sx_stopped(x) || cond == TERM_FALSE)
        return;
    term_id live = term_and(x->store, x->st.live, cond);
    for (size_t i = x->levels.len; i > j->level; i--)
        live = term_and(x->store, x->levels.data[i - 1].relative, live);
    struct sx_state s = cond == TERM_TRUE ? x->st : sx_fork(x, &x->st);
    s.live = live;
    j->alone = !j->any && cond == TERM_TRUE && x->levels.len == j->level;
    j->state = j->any ? unite(x, j->state, s, j->cells) : s;
    j->any = true;
    for (size_t i = join + 1; i < x->joins.len; i++)
        x->joins.data[i].passed = true;
    if (cond == TERM_TRUE)
        x->st.live = TERM_FALSE;
    else
        x->st.live = term_and(x->store, x->st.live, term_not(x->store, cond));
}

void sx_join_close(struct sx_exec *x)
{
    struct sx_join j = vec_pop(&x->joins);
    assert(j.level == x->levels.len);
    x->sp = j.cells;
    if (j.any) {
        /* A single `return` at the end: nobody else is here, so what was known there still is. */
        if (!j.alone || j.passed || x->st.gone || x->st.live != TERM_FALSE)
            facts_undo(&x->facts, j.mark);
        x->st = unite(x, j.state, x->st, j.cells);
    } /* else only those at hand; what they know stays true */
    if (!j.passed && !sx_stopped(x))
        x->st.live = TERM_TRUE; /* all who came in are here again */
    if (j.any)
        facts_add(&x->facts, x->st.live);
    x->st.live = term_and(x->store, vec_pop(&x->levels).relative, x->st.live);
}

bool sx_join_take(struct sx_exec *x, struct sx_state *out)
{
    struct sx_join j = vec_pop(&x->joins);
    assert(j.level == x->levels.len);
    term_id relative = vec_pop(&x->levels).relative;
    *out = j.state;
    out->live = term_and(x->store, relative, j.any ? j.state.live : TERM_FALSE);
    x->st.live = term_and(x->store, relative, x->st.live);
    return j.any && !out->gone && out->live != TERM_FALSE;
}
