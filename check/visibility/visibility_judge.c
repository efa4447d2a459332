/* Judging one full set of choices: sort, find what is visible, derive orders, sort again; see
 * visibility.h. */
#include <assert.h>
#include <stdlib.h>

#include "base/limit.h"
#include "check/visibility/visibility_internal.h"

#define BLOCK_BYTES ((size_t)512 << 20) /* of clocks, for CC */
/* Where everything is derived, the shortest reason can be found; but that takes long if there are
 * more than so many transactions times chains. */
#define MUCH 4000000

/* --- life ------------------------------------------------------------------------------------ */

static bool closed(enum model_id m)
{
    return m == MODEL_CC || m == MODEL_PSI;
}

static uint32_t *array(size_t n)
{
    return mem_calloc(n + 2, sizeof(uint32_t));
}

/* How many chains have clocks at a time. */
static uint32_t clock_width(const struct prob *p)
{
    size_t fit = BLOCK_BYTES / sizeof(uint32_t) / (p->n + 1);
    if (p->level.model == MODEL_PSI || fit >= p->sessions)
        return p->sessions;
    return fit < 16 ? 16 : (uint32_t)fit;
}

size_t vis_memory(const struct prob *p)
{
    return closed(p->level.model) ? (size_t)p->n * clock_width(p) * sizeof(uint32_t) : 0;
}

void vis_init(struct vis *w, struct prob *p)
{
    *w = (struct vis){.p = p, .model = p->level.model, .sessions = p->level.session_order};
    w->src = array(p->rd_start[p->n]);
    w->out = array(p->n);
    w->order = array(p->n);
    w->rank = array(p->n);
    w->degree = array(p->n);
    w->mark = array(p->n);
    w->cost = array(p->n);
    w->parent = array(p->n);
    w->parent_tag = array(p->n);
    w->key_mark = array(p->keys);
    w->key_read = array(p->keys);
    if (closed(w->model)) {
        groups_make(&w->groups, p);
        w->closed = true;
        w->width = clock_width(p);
    }
}

void vis_make_clocks(struct vis *w)
{
    if (w->closed && !w->clock)
        w->clock = mem_alloc(mem_mul(mem_mul(w->p->n + 1, w->width + 1), sizeof *w->clock));
}

void vis_free(struct vis *w)
{
    void *all[] = {w->src,   w->present, w->out,        w->head,     w->tag,
                   w->order, w->rank,    w->degree,     w->clock,    w->mark,
                   w->cost,  w->parent,  w->parent_tag, w->key_mark, w->key_read};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    groups_free(&w->groups);
    vec_free(&w->near);
    vec_free(&w->far);
    vec_free(&w->orders);
    vec_free(&w->emitted);
    vec_free(&w->steps);
    vec_free(&w->cycles);
}

/* --- the graph ------------------------------------------------------------------------------- */

/* Twice over the edges: count, then fill. */
static void visit(struct vis *w, bool fill, uint32_t *next)
{
    const struct prob *p = w->p;
#define EDGE(from, to, what)                                                                       \
    do {                                                                                           \
        uint32_t at_ = next[from]++;                                                               \
        if (fill) {                                                                                \
            w->head[at_] = (to);                                                                   \
            w->tag[at_] = (what);                                                                  \
        }                                                                                          \
    } while (0)
    for (uint32_t t = 0; t + 1 < p->n && w->sessions; t++)
        if (p->session[t] == p->session[t + 1])
            EDGE(t, t + 1, HIST_NONE);
    uint32_t reads = p->rd_start[p->n];
    for (uint32_t r = 0; r < reads; r++)
        if (w->src[r] != HIST_NONE && p->ver_txn[w->src[r]] != PROB_INIT)
            EDGE(p->ver_txn[w->src[r]], p->rd_txn[r], r);
    for (uint32_t i = 0; i < w->orders.len; i++) {
        const struct vis_order *o = &w->orders.data[i];
        if (vis_is_edge(w, o))
            EDGE(p->ver_txn[o->a], p->ver_txn[o->b], 1u << 31 | i);
    }
#undef EDGE
}

void vis_build(struct vis *w)
{
    const struct prob *p = w->p;
    uint32_t *next = array(p->n), total = 0;
    visit(w, false, next);
    for (uint32_t t = 0; t <= p->n; t++) {
        uint32_t count = t < p->n ? next[t] : 0;
        w->out[t] = next[t] = total;
        total += count;
    }
    if (total > w->edge_cap) {
        w->edge_cap = (size_t)total + total / 4;
        mem_free(w->head);
        mem_free(w->tag);
        w->head = array(w->edge_cap);
        w->tag = array(w->edge_cap);
    }
    visit(w, true, next);
    mem_free(next);
}

/* Build the graph of sessions, reads and orders, and sort it topologically into order and rank.
 * False: it has a cycle. */
static bool sort_topologically(struct vis *w)
{
    const struct prob *p = w->p;
    vis_build(w);
    memset(w->degree, 0, (size_t)p->n * sizeof *w->degree);
    for (uint32_t e = 0; e < w->out[p->n]; e++)
        w->degree[w->head[e]]++;
    uint32_t len = 0;
    for (uint32_t t = 0; t < p->n; t++)
        if (!w->degree[t])
            w->order[len++] = t;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t t = w->order[i];
        w->rank[t] = i;
        for (uint32_t e = w->out[t]; e < w->out[t + 1]; e++)
            if (!--w->degree[w->head[e]])
                w->order[len++] = w->head[e];
    }
    w->sorted = len;
    return len == p->n;
}

/* clock(t)[c]: how many of the first transactions of chain low + c lead to t or are t. */
static void run_clocks(struct vis *w)
{
    const struct prob *p = w->p;
    vis_make_clocks(w);
    memset(w->clock, 0, (size_t)p->n * w->width * sizeof *w->clock);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t t = w->order[i];
        uint32_t *own = w->clock + (size_t)t * w->width;
        if (vis_in_block(w, p->session[t]))
            own[p->session[t] - w->low] = match_pos(p, t) + 1;
        for (uint32_t e = w->out[t]; e < w->out[t + 1]; e++) {
            if (w->model == MODEL_CC && w->tag[e] != HIST_NONE && w->tag[e] >> 31)
                continue; /* an order of versions makes nothing visible */
            uint32_t *to = w->clock + (size_t)w->head[e] * w->width;
            for (uint32_t c = 0; c < w->width; c++)
                to[c] = to[c] > own[c] ? to[c] : own[c];
        }
    }
}

/* --- judging --------------------------------------------------------------------------------- */

/* Orders from `from` on that end at an initial version are contradictions by themselves. */
static bool find_impossible(struct vis *w, size_t from)
{
    for (size_t i = from; i < w->orders.len; i++)
        if (w->p->ver_txn[w->orders.data[i].b] == PROB_INIT) {
            vis_emit_order(w, (uint32_t)i);
            return true;
        }
    return false;
}

static bool sort_or_cycle(struct vis *w)
{
    if (sort_topologically(w))
        return true;
    vis_find_cycle(w);
    return false;
}

/* CC: nothing that is derived makes more visible, so the chains can be looked at in turn. */
static void derive(struct vis *w)
{
    if (!w->closed) {
        vis_derive(w);
        return;
    }
    for (w->low = 0; w->low < w->p->sessions && !limit_reached(); w->low += w->width) {
        run_clocks(w);
        vis_derive(w);
    }
    w->low = 0;
}

static enum vis_outcome derive_to_the_end(struct vis *w)
{
    for (;;) {
        if (limit_reached())
            return VIS_STOPPED;
        if (!sort_or_cycle(w))
            return VIS_CONFLICT;
        size_t before = w->orders.len;
        derive(w);
        if (limit_reached())
            return VIS_STOPPED;
        if (find_impossible(w, before))
            return VIS_CONFLICT;
        if (w->orders.len == before)
            return VIS_FINE;
        if (w->model != MODEL_PSI)
            return sort_or_cycle(w) ? VIS_FINE : VIS_CONFLICT;
    }
}

static int by_rank(const void *a, const void *b, void *self)
{
    const struct vis *w = self;
    uint32_t x = w->rank[w->p->ver_txn[*(const uint32_t *)a]];
    uint32_t y = w->rank[w->p->ver_txn[*(const uint32_t *)b]];
    return x < y ? -1 : x > y;
}

void vis_add_versions(struct vis *w)
{
    const struct prob *p = w->p;
    VEC(uint32_t) versions = {0};
    vis_add_known(w);
    for (uint32_t k = 0; k < p->keys; k++) {
        vec_clear(&versions);
        for (uint32_t v = p->ver_start[k] + 1; v < p->ver_start[k + 1]; v++)
            if (vis_present(w, p->ver_txn[v]))
                vec_push(&versions, v);
        if (versions.len > 1)
            qsort_r(versions.data, versions.len, sizeof *versions.data, by_rank, w);
        for (size_t i = 0; i + 1 < versions.len; i++) {
            uint32_t a = versions.data[i], b = versions.data[i + 1];
            if (!w->sessions || p->session[p->ver_txn[a]] != p->session[p->ver_txn[b]])
                vec_push(&w->orders, ((struct vis_order){a, b, HIST_NONE, HIST_NONE, VIS_CHOSEN}));
        }
    }
    vec_free(&versions);
}

enum vis_outcome vis_judge(struct vis *w)
{
    vec_clear(&w->steps);
    vec_clear(&w->cycles);
    vec_clear(&w->emitted);
    size_t known = w->orders.len;
    if (w->model == MODEL_PSI)
        return derive_to_the_end(w);
    enum vis_outcome o = w->no_guess ? VIS_STOPPED : vis_guess(w);
    if (o == VIS_FINE)
        return o;
    bool much = (size_t)w->p->n * w->p->sessions > MUCH;
    if (o == VIS_CONFLICT && (much || w->first_reason)) {
        bool sorted = sort_topologically(w); /* and the graph is there, for reasons */
        if (!find_impossible(w, known) && !sorted)
            vis_find_cycle(w);
        return o;
    }
    w->orders.len = known;
    return derive_to_the_end(w);
}
