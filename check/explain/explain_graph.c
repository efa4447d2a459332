/* Cheapest paths and cycles; see explain_graph.h.
 *
 * Edges that the history itself shows are cheap.  Derived edges are expensive, the more so the
 * later they were derived, because each needs an explanation of its own: another cycle of at least
 * two steps, whose edges may need explanations again. */
#include "check/explain/explain_graph.h"

#include <assert.h>

#include "base/components.h"

#define FAR UINT32_MAX

/* --- building --------------------------------------------------------------------------------- */

static uint32_t first_out(const struct pg *g, uint32_t u, uint32_t count, bool fill,
                          struct eg_edge *to)
{
    const struct prob *p = g->p;
    if (u >= g->txn_nodes)
        return count;
    uint32_t t = pg_txn(g, u);
    if (u != pg_commit(g, t)) {
        if (fill)
            to[count] = (struct eg_edge){{u, u + 1, t, t, EDGE_INSIDE}, 0, 0};
        return count + 1;
    }
    if (t + 1 < p->n && p->session[t + 1] == p->session[t]) {
        if (fill)
            to[count] = (struct eg_edge){{u, pg_begin(g, t + 1), t, t + 1, CHECK_SO}, 0, 0};
        count++;
    }
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t v = p->wr_ver[i];
        for (uint32_t j = p->rdr_start[v]; j < p->rdr_start[v + 1]; j++, count++)
            if (fill)
                to[count] = (struct eg_edge){
                    {u, pg_begin(g, p->rd_txn[p->rdr[j]]), p->rdr[j], v, CHECK_WR}, 0, 0};
    }
    return count;
}

static void collect(struct eg *e)
{
    const struct pg *g = e->g;
    e->out_start = mem_alloc(mem_mul((size_t)g->nodes + 1, sizeof *e->out_start));
    for (int fill = 0; fill < 2; fill++) {
        uint32_t count = 0;
        for (uint32_t u = 0; u < g->nodes; u++) {
            e->out_start[u] = count;
            count = first_out(g, u, count, fill, e->edges);
            for (uint32_t i = g->out[u]; i != HIST_NONE; i = g->edges.data[i].next, count++) {
                if (fill)
                    e->edges[count] = (struct eg_edge){g->edges.data[i].edge, i + 1, 0};
            }
        }
        e->out_start[g->nodes] = count;
        e->count = count;
        if (!fill)
            e->edges = mem_alloc(mem_mul((size_t)count + 1, sizeof *e->edges));
    }
}

/* --- costs ------------------------------------------------------------------------------------ */

/* Steps of session order are told as one, so they cost next to nothing. */
enum { COST_SESSION = 1, COST_SHOWN = 64, COST_DERIVED = 224, COST_ROUND = 192, COST_MAX = 60000 };

/* The writer of b read a: nothing else says as plainly that a is older. */
static bool read_before_writing(const struct prob *p, uint32_t a, uint32_t b)
{
    uint32_t t = p->ver_txn[b];
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
        if (p->rd_ver[r] == a)
            return true;
    return false;
}

/* The order that a derived edge rests on needs no argument. */
static bool is_evident(const struct prob *p, const struct edge *x)
{
    if (x->kind != CHECK_RW && x->kind != CHECK_WW)
        return false;
    uint32_t a = x->kind == CHECK_RW ? p->rd_ver[x->a] : x->a, t = p->ver_txn[x->b];
    if (a & PROB_CHOICE || p->ver_txn[a] == PROB_INIT)
        return !(a & PROB_CHOICE);
    uint32_t s = p->ver_txn[a];
    return (p->level.session_order && s < t && p->session[s] == p->session[t]) ||
           read_before_writing(p, a, x->b);
}

static uint16_t cost_of(const struct pg *g, const struct eg_edge *x)
{
    if (x->edge.kind == EDGE_INSIDE || (x->edge.kind == CHECK_RT && x->edge.from >= g->txn_nodes))
        return 0;
    if (x->edge.kind == CHECK_SO && g->p->level.session_order)
        return COST_SESSION;
    if (x->edge.kind == CHECK_RT || x->edge.kind == CHECK_SO)
        return COST_SHOWN;
    if (x->stamp <= g->known_edges || is_evident(g->p, &x->edge))
        return COST_SHOWN;
    uint32_t round = 0;
    while (round < g->rounds.len && g->rounds.data[round] < x->stamp)
        round++;
    uint32_t cost = COST_DERIVED + COST_ROUND * round;
    return (uint16_t)(cost < COST_MAX ? cost : COST_MAX);
}

void eg_init(struct eg *e, struct pg *g)
{
    *e = (struct eg){.g = g};
    collect(e);
    for (size_t i = 0; i < e->count; i++)
        e->edges[i].cost = cost_of(g, &e->edges[i]);
    e->in_start = mem_calloc((size_t)g->nodes + 2, sizeof *e->in_start);
    e->in = mem_alloc(mem_mul(e->count + 1, sizeof *e->in));
    for (size_t i = 0; i < e->count; i++)
        e->in_start[e->edges[i].edge.to + 2]++;
    for (uint32_t u = 0; u < g->nodes; u++)
        e->in_start[u + 2] += e->in_start[u + 1];
    for (size_t i = 0; i < e->count; i++)
        e->in[e->in_start[e->edges[i].edge.to + 1]++] = (uint32_t)i;
    e->dist = mem_alloc(mem_mul((size_t)g->nodes + 1, sizeof *e->dist));
    e->via = mem_alloc(mem_mul((size_t)g->nodes + 1, sizeof *e->via));
    e->mark = mem_calloc((size_t)g->nodes + 1, sizeof *e->mark);
}

void eg_free(struct eg *e)
{
    mem_free(e->edges);
    mem_free(e->out_start);
    mem_free(e->in_start);
    mem_free(e->in);
    mem_free(e->dist);
    mem_free(e->via);
    mem_free(e->mark);
    vec_free(&e->heap);
}

/* --- searching -------------------------------------------------------------------------------- */

/* Which edges may be used: the problem's own, and derived ones before `limit`. */
static bool usable(const struct eg *e, const struct eg_edge *x, uint32_t limit)
{
    return x->stamp < limit || x->stamp <= e->g->known_edges;
}

static void push(struct eg *e, uint32_t node, uint32_t dist, uint32_t via)
{
    if (e->mark[node] == e->search && e->dist[node] <= dist)
        return;
    e->mark[node] = e->search;
    e->dist[node] = dist;
    e->via[node] = via;
    uint64_t x = (uint64_t)dist << 32 | node;
    size_t i = e->heap.len;
    vec_push(&e->heap, x);
    for (; i && e->heap.data[(i - 1) / 2] > x; i = (i - 1) / 2)
        e->heap.data[i] = e->heap.data[(i - 1) / 2];
    e->heap.data[i] = x;
}

static uint64_t pop(struct eg *e)
{
    uint64_t top = e->heap.data[0], x = vec_pop(&e->heap);
    size_t i = 0, n = e->heap.len;
    while (n) {
        size_t c = 2 * i + 1;
        if (c >= n)
            break;
        if (c + 1 < n && e->heap.data[c + 1] < e->heap.data[c])
            c++;
        if (e->heap.data[c] >= x)
            break;
        e->heap.data[i] = e->heap.data[c];
        i = c;
    }
    if (n)
        e->heap.data[i] = x;
    return top;
}

/* A search: from `start` (backward: to it), until `target` is settled (HIST_NONE: everything), over
 * edges with stamp < limit.  Nodes at `bound` or beyond do not count.  With `component`, the search
 * stays in the start's own, and the start counts as reached only by coming back to it. */
struct eg_bounds {
    uint32_t start, target;
    bool backward;
    uint32_t limit, bound;
    const uint32_t *component; /* per node; or NULL */
};

/* Follow edge k from a node at distance d. */
static void follow(struct eg *e, const struct eg_bounds *b, uint32_t k, uint32_t d)
{
    const struct eg_edge *x = &e->edges[k];
    uint32_t node = b->backward ? x->edge.from : x->edge.to;
    if (d + x->cost < b->bound && usable(e, x, b->limit) &&
        !(b->component && b->component[node] != b->component[b->start]))
        push(e, node, d + x->cost, k);
}

static void expand(struct eg *e, const struct eg_bounds *b, uint32_t u, uint32_t d)
{
    uint32_t first = b->backward ? e->in_start[u] : e->out_start[u];
    uint32_t last = b->backward ? e->in_start[u + 1] : e->out_start[u + 1];
    e->work += last - first + 1;
    for (uint32_t i = first; i < last; i++)
        follow(e, b, b->backward ? e->in[i] : i, d);
}

/* Dijkstra.  True: the target was reached. */
static bool dijkstra(struct eg *e, const struct eg_bounds *b)
{
    e->search++;
    vec_clear(&e->heap);
    if (b->component)
        expand(e, b, b->start, 0);
    else
        push(e, b->start, 0, HIST_NONE);
    while (e->heap.len) {
        uint64_t top = pop(e);
        uint32_t u = (uint32_t)top, d = (uint32_t)(top >> 32);
        if (d > e->dist[u])
            continue;
        if (u == b->target)
            return true;
        expand(e, b, u, d);
    }
    return false;
}

uint32_t eg_distance(const struct eg *e, uint32_t node)
{
    return e->mark[node] == e->search ? e->dist[node] : FAR;
}

void eg_search(struct eg *e, uint32_t node, bool forward, uint32_t limit, uint32_t bound)
{
    struct eg_bounds b = {node, HIST_NONE, !forward, limit, bound, NULL};
    dijkstra(e, &b);
}

static void reverse(struct eg_edge *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct eg_edge x = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = x;
    }
}

void eg_path_get(const struct eg *e, uint32_t node, bool forward, eg_path *out)
{
    size_t start = out->len;
    for (uint32_t k; (k = e->via[node]) != HIST_NONE;) {
        vec_push(out, e->edges[k]);
        node = forward ? e->edges[k].edge.from : e->edges[k].edge.to;
    }
    if (forward)
        reverse(out->data + start, out->len - start);
}

bool eg_path_find(struct eg *e, uint32_t from, uint32_t to, uint32_t limit, eg_path *out,
                  uint32_t *cost)
{
    struct eg_bounds b = {from, to, false, limit, FAR, NULL};
    if (!dijkstra(e, &b))
        return false;
    *cost = e->dist[to];
    eg_path_get(e, to, true, out);
    return true;
}

/* --- cycles ----------------------------------------------------------------------------------- */

/* Components of one node are on no cycle, unless an edge leads from it to itself. */
static void find_components(const struct eg *e, struct components *c)
{
    uint32_t *heads = mem_alloc(mem_mul(e->count + 1, sizeof *heads));
    for (size_t i = 0; i < e->count; i++)
        heads[i] = e->edges[i].edge.to;
    components_find(c, e->g->nodes, e->out_start, heads);
    for (size_t i = 0; i < e->count; i++)
        if (e->edges[i].edge.from == e->edges[i].edge.to)
            c->size[c->component[e->edges[i].edge.to]]++;
    mem_free(heads);
}

void eg_cycle(struct eg *e, eg_path *out)
{
    enum { BUDGET = 20000000 };
    struct components c;
    uint32_t best = FAR;
    eg_path path = {0};
    find_components(e, &c);
    e->work = 0;
    for (uint32_t u = 0; u < e->g->nodes && (best == FAR || e->work < BUDGET); u++) {
        struct eg_bounds b = {u, u, false, HIST_NONE, best, c.component};
        if (c.size[c.component[u]] == 1 || !dijkstra(e, &b))
            continue;
        best = e->dist[u];
        vec_clear(&path);
        uint32_t v = u;
        do {
            vec_push(&path, e->edges[e->via[v]]);
            v = e->edges[e->via[v]].edge.from;
        } while (v != u);
        reverse(path.data, path.len);
    }
    assert(path.len);
    for (size_t i = 0; i < path.len; i++)
        vec_push(out, path.data[i]);
    vec_free(&path);
    components_free(&c);
}
