/* Why a set of choices is impossible: cycles of the graph and, for each order on them, the cycle
 * that its reverse would close; see visibility_internal.h. */
#include <assert.h>

#include "check/visibility/visibility_internal.h"

static void push_tagged(struct vis *w, uint32_t from, uint32_t to, uint32_t tag)
{
    struct vis_step s = {{from, to, 0, 0, CHECK_SO}, HIST_NONE};
    if (tag == HIST_NONE) {
        /* Session order is transitive: one step for several. */
        if (w->steps.len && vec_last(&w->steps).edge.kind == CHECK_SO &&
            vec_last(&w->steps).edge.to == from && vec_last(&w->steps).order == w->cycles.len) {
            vec_last(&w->steps).edge.to = to;
            return;
        }
        s.order = (uint32_t)w->cycles.len; /* marks steps of one cycle; nothing else looks at it */
    } else if (tag >> 31) {
        s.order = tag & ~(1u << 31);
        s.edge =
            (struct edge){from, to, w->orders.data[s.order].a, w->orders.data[s.order].b, CHECK_WW};
    } else {
        s.edge = (struct edge){from, to, tag, 0, CHECK_WR};
    }
    vec_push(&w->steps, s);
}

/* May the edge be on a path that makes something visible, and that is older than order `limit`? */
static bool allowed(const struct vis *w, uint32_t tag, uint32_t limit)
{
    if (tag == HIST_NONE || !(tag >> 31) || limit == HIST_NONE)
        return true;
    return w->model == MODEL_PSI && (tag & ~(1u << 31)) < limit;
}

/* How many choices an edge rests on. */
static uint32_t price(const struct vis *w, uint32_t tag)
{
    return tag < 1u << 31 && w->p->rd_ver[tag] & PROB_CHOICE ? 1 : 0;
}

/* What a search has to leave alone. */
struct bounds {
    uint32_t limit;        /* orders from this one on; and (CC) any, unless it is HIST_NONE */
    const uint8_t *inside; /* nodes for which it is not set; or NULL */
    uint32_t rank;         /* nodes behind this one */
};

static void expand(struct vis *w, uint32_t x, uint32_t cost, const struct bounds *b)
{
    w->work += w->out[x + 1] - w->out[x];
    for (uint32_t e = w->out[x]; e < w->out[x + 1]; e++) {
        uint32_t y = w->head[e], tag = w->tag[e], more = price(w, tag);
        if ((w->mark[y] == w->stamp && w->cost[y] <= cost + more) || !allowed(w, tag, b->limit) ||
            (b->inside && !b->inside[y]) || w->rank[y] > b->rank)
            continue;
        w->mark[y] = w->stamp;
        w->cost[y] = cost + more;
        w->parent[y] = x;
        w->parent_tag[y] = tag;
        if (more)
            vec_push(&w->far, y);
        else
            vec_push(&w->near, y);
    }
}

/* A path from u to v with the fewest choices, and of those a shortest one (nearly: among paths
 * without choices); not empty, u may be v.  parent and parent_tag lead back. */
static bool search(struct vis *w, uint32_t u, uint32_t v, const struct bounds *b)
{
    w->stamp++;
    vec_clear(&w->near);
    vec_clear(&w->far);
    expand(w, u, 0, b);
    for (uint32_t cost = 0; w->near.len || w->far.len; cost++) {
        for (size_t i = 0; i < w->near.len; i++) {
            uint32_t x = w->near.data[i];
            if (x == v)
                return true;
            if (w->cost[x] == cost)
                expand(w, x, cost, b);
        }
        vec_clear(&w->near);
        sat_lits swap = w->near;
        w->near = w->far;
        w->far = swap;
    }
    return false;
}

/* The edges of the path from u to v, into w->steps. */
static void push_path(struct vis *w, uint32_t u, uint32_t v)
{
    VEC(uint32_t) nodes = {0};
    uint32_t x = v;
    do {
        vec_push(&nodes, x);
        x = w->parent[x];
    } while (x != u);
    for (size_t i = nodes.len; i-- > 0;)
        push_tagged(w, w->parent[nodes.data[i]], nodes.data[i], w->parent_tag[nodes.data[i]]);
    vec_free(&nodes);
}

/* The orders on the cycle that was written from `start` on, each before the cycle itself: so its
 * steps are set aside meanwhile. */
static void finish_cycle(struct vis *w, uint32_t start, uint32_t a, uint32_t b)
{
    VEC(struct vis_step) own = {0};
    for (size_t i = start; i < w->steps.len; i++)
        vec_push(&own, w->steps.data[i]);
    w->steps.len = start;
    for (size_t i = 0; i < own.len; i++)
        if (own.data[i].edge.kind == CHECK_WW)
            vis_emit_order(w, own.data[i].order);
    struct vis_cycle c = {(uint32_t)w->steps.len, (uint32_t)own.len, a, b};
    for (size_t i = 0; i < own.len; i++)
        vec_push(&w->steps, own.data[i]);
    vec_push(&w->cycles, c);
    vec_free(&own);
}

void vis_emit_order(struct vis *w, uint32_t index)
{
    const struct prob *p = w->p;
    struct vis_order o = w->orders.data[index];
    vec_resize(&w->emitted, w->orders.len);
    if (o.basis != VIS_SEEN || w->emitted.data[index])
        return;
    w->emitted.data[index] = 1;
    uint32_t t = p->rd_txn[o.read], writer = p->ver_txn[o.a], start = (uint32_t)w->steps.len;
    vec_push(&w->steps, ((struct vis_step){{t, writer, o.read, o.a, CHECK_RW}, HIST_NONE}));
    if (o.seen != HIST_NONE)
        push_tagged(w, writer, t, o.seen);
    else if (!w->closed)
        push_tagged(w, writer, t, HIST_NONE);
    else {
        struct bounds b = {index, NULL, w->ranked ? w->rank[t] : UINT32_MAX};
        bool found = search(w, writer, t, &b);
        assert(found);
        (void)found;
        push_path(w, writer, t);
    }
    bool initial = p->ver_txn[o.b] == PROB_INIT;
    finish_cycle(w, start, initial ? HIST_NONE : o.a, initial ? HIST_NONE : o.b);
}

void vis_find_cycle(struct vis *w)
{
    const struct prob *p = w->p;
    uint8_t *inside = mem_alloc((size_t)p->n + 1);
    uint32_t *before = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *before));
    memset(inside, 1, p->n);
    for (uint32_t i = 0; i < w->sorted; i++)
        inside[w->order[i]] = 0;
    /* Everybody left has somebody left before it: going back ends on a cycle. */
    for (uint32_t u = 0; u < p->n; u++)
        for (uint32_t e = w->out[u]; e < w->out[u + 1] && inside[u]; e++)
            before[w->head[e]] = u;
    uint32_t u = 0;
    while (!inside[u])
        u++;
    w->stamp++;
    for (; w->mark[u] != w->stamp; u = before[u])
        w->mark[u] = w->stamp;
    bool found = search(w, u, u, &(struct bounds){HIST_NONE, inside, UINT32_MAX});
    assert(found);
    (void)found;
    uint32_t start = (uint32_t)w->steps.len;
    push_path(w, u, u);
    /* Steps of session order at both ends of the list are one. */
    struct vis_step *first = &w->steps.data[start], *last = &vec_last(&w->steps);
    if (first != last && first->edge.kind == CHECK_SO && last->edge.kind == CHECK_SO) {
        first->edge.from = last->edge.from;
        w->steps.len--;
    }
    finish_cycle(w, start, HIST_NONE, HIST_NONE);
    mem_free(inside);
    mem_free(before);
}
