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

/* Dijkstra until `target` (HIST_NONE: everything) is settled, or everything nearer than `bound`.
 * The start itself counts as reached only by coming back to it if `around`. */
static bool dijkstra(struct eg *e, uint32_t start, uint32_t target, bool forward, bool around,
                     uint32_t limit, uint32_t bound)
{
    e->search++;
    vec_clear(&e->heap);
    if (around) {
        for (uint32_t i = e->out_start[start]; i < e->out_start[start + 1]; i++)
            if (usable(e, &e->edges[i], limit))
                push(e, e->edges[i].edge.to, e->edges[i].cost, i);
    } else {
        push(e, start, 0, HIST_NONE);
    }
    while (e->heap.len) {
        uint64_t top = pop(e);
        uint32_t u = (uint32_t)top, d = (uint32_t)(top >> 32);
        if (d > e->dist[u])
            continue;
        if (d >= bound)
            return false;
        if (u == target)
            return true;
        uint32_t first = forward ? e->out_start[u] : e->in_start[u];
        uint32_t last = forward ? e->out_start[u + 1] : e->in_start[u + 1];
        e->work += last - first + 1;
        for (uint32_t i = first; i < last; i++) {
            uint32_t k = forward ? i : e->in[i];
            const struct eg_edge *x = &e->edges[k];
            if (usable(e, x, limit))
                push(e, forward ? x->edge.to : x->edge.from, d + x->cost, k);
        }
    }
    return false;
}

uint32_t eg_distance(const struct eg *e, uint32_t node)
{
    return e->mark[node] == e->search ? e->dist[node] : FAR;
}

void eg_search(struct eg *e, uint32_t node, bool forward, uint32_t limit)
{
    dijkstra(e, node, HIST_NONE, forward, false, limit, FAR);
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
    if (!dijkstra(e, from, to, true, false, limit, FAR))
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
        if (c.size[c.component[u]] == 1 || !dijkstra(e, u, u, true, true, HIST_NONE, best))
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
