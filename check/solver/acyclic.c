/* Incremental acyclicity; see acyclic.h.
 *
 * Invariant: rank is a topological order of the fixed edges and of the edges whose literal was
 * told.  Taking edges away keeps it, so undoing is free.
 *
 * When an edge a→b arrives with rank(b) < rank(a), everything that b reaches below rank(a) is
 * searched.  If a is found, there is a cycle, and as the search explores fixed edges before others
 * (a 0-1 breadth-first search), its conflict has the fewest possible literals.  If not, what
 * was found and what leads to a above rank(b) are rearranged among their own ranks. */
#include "check/solver/acyclic.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

#define NONE UINT32_MAX

struct acyclic {
    uint32_t nodes;
    VEC(struct acyclic_edge) edges;
    uint32_t *rank;

    /* Fixed neighbours in flat arrays; told edges in lists that grow and shrink at their heads. */
    uint32_t *out_start, *out_fixed, *in_start, *in_fixed; /* edge numbers */
    uint32_t *out_head, *in_head;                          /* per node: told edge */
    sat_lits out_next, in_next;                            /* per edge */
    uint32_t *lit_start, *lit_edge;                        /* the edges of each literal */
    uint32_t lits;
    sat_lits late; /* of literals from `lits` on: 1 + the edge, or 0 */

    uint32_t *mark, *via, *cost; /* per node: last search that met it, edge by which, literals */
    uint32_t search;
    uint64_t steps; /* nodes that searches have met */
    sat_lits ahead, behind, near, far, ranks;
    bool keep_cycles;
    sat_lits cycle_start, cycle_edges;
};

struct acyclic *acyclic_new(uint32_t nodes, const uint32_t *order, bool keep_cycles)
{
    struct acyclic *a = mem_calloc(1, sizeof *a);
    a->nodes = nodes;
    a->keep_cycles = keep_cycles;
    a->rank = mem_alloc(mem_mul(nodes + 1, sizeof *a->rank));
    for (uint32_t i = 0; i < nodes; i++)
        a->rank[order[i]] = i;
    return a;
}

void acyclic_free(struct acyclic *a)
{
    if (!a)
        return;
    vec_free(&a->edges);
    mem_free(a->rank);
    mem_free(a->out_start);
    mem_free(a->out_fixed);
    mem_free(a->in_start);
    mem_free(a->in_fixed);
    mem_free(a->out_head);
    mem_free(a->in_head);
    vec_free(&a->out_next);
    vec_free(&a->in_next);
    vec_free(&a->late);
    mem_free(a->lit_start);
    mem_free(a->lit_edge);
    mem_free(a->mark);
    mem_free(a->via);
    mem_free(a->cost);
    vec_free(&a->ahead);
    vec_free(&a->behind);
    vec_free(&a->near);
    vec_free(&a->far);
    vec_free(&a->ranks);
    vec_free(&a->cycle_start);
    vec_free(&a->cycle_edges);
    mem_free(a);
}

void acyclic_add_edge(struct acyclic *a, uint32_t from, uint32_t to, uint32_t lit, uint32_t tag)
{
    assert(from != to);
    vec_push(&a->edges, ((struct acyclic_edge){from, to, lit, tag}));
}

const struct acyclic_edge *acyclic_edge(const struct acyclic *a, uint32_t edge)
{
    return &a->edges.data[edge];
}

uint32_t acyclic_rank(const struct acyclic *a, uint32_t node)
{
    return a->rank[node];
}

uint64_t acyclic_steps(const struct acyclic *a)
{
    return a->steps;
}

/* --- setting up ------------------------------------------------------------------------------- */

enum bucket { BY_TAIL, BY_HEAD, BY_LIT };

static uint32_t bucket_of(const struct acyclic_edge *e, enum bucket by)
{
    if ((by == BY_LIT) == (e->lit == ACYCLIC_FIXED))
        return NONE;
    return by == BY_LIT ? e->lit : by == BY_TAIL ? e->from : e->to;
}

/* The edges of each bucket: list[start[b] … start[b + 1]). */
static void fill(const struct acyclic *a, enum bucket by, uint32_t buckets, uint32_t **start_out,
                 uint32_t **list_out)
{
    uint32_t *start = mem_calloc((size_t)buckets + 2, sizeof *start);
    for (size_t i = 0; i < a->edges.len; i++) {
        uint32_t b = bucket_of(&a->edges.data[i], by);
        if (b != NONE)
            start[b + 2]++;
    }
    for (uint32_t b = 0; b < buckets; b++)
        start[b + 2] += start[b + 1];
    uint32_t *list = mem_alloc(mem_mul((size_t)start[buckets + 1] + 1, sizeof *list));
    for (size_t i = 0; i < a->edges.len; i++) {
        uint32_t b = bucket_of(&a->edges.data[i], by);
        if (b != NONE)
            list[start[b + 1]++] = (uint32_t)i;
    }
    *start_out = start;
    *list_out = list;
}

static uint32_t *nones(size_t n)
{
    uint32_t *p = mem_alloc(mem_mul(n + 1, sizeof *p));
    memset(p, 0xff, (n + 1) * sizeof *p);
    return p;
}

void acyclic_start(struct acyclic *a, uint32_t vars)
{
    a->lits = 2 * vars;
    fill(a, BY_TAIL, a->nodes, &a->out_start, &a->out_fixed);
    fill(a, BY_HEAD, a->nodes, &a->in_start, &a->in_fixed);
    fill(a, BY_LIT, a->lits, &a->lit_start, &a->lit_edge);
    a->out_head = nones(a->nodes);
    a->in_head = nones(a->nodes);
    vec_resize(&a->out_next, a->edges.len);
    vec_resize(&a->in_next, a->edges.len);
    a->mark = mem_calloc(a->nodes + 1, sizeof *a->mark);
    a->via = nones(a->nodes);
    a->cost = mem_calloc(a->nodes + 1, sizeof *a->cost);
}

void acyclic_add_late(struct acyclic *a, uint32_t from, uint32_t to, uint32_t lit, uint32_t tag)
{
    assert(lit >= a->lits);
    acyclic_add_edge(a, from, to, lit, tag);
    vec_resize(&a->out_next, a->edges.len);
    vec_resize(&a->in_next, a->edges.len);
    if (a->late.len <= lit - a->lits)
        vec_resize(&a->late, (size_t)(lit - a->lits) + 1);
    a->late.data[lit - a->lits] = (uint32_t)a->edges.len;
}

/* --- searching -------------------------------------------------------------------------------- */

static void meet(struct acyclic *a, uint32_t node, uint32_t edge, uint32_t cost, sat_lits *queue)
{
    if (a->mark[node] == a->search) {
        if (a->cost[node] <= cost)
            return;
    } else {
        vec_push(&a->ahead, node);
    }
    a->mark[node] = a->search;
    a->via[node] = edge;
    a->cost[node] = cost;
    vec_push(queue, node);
}

/* All edges out of a node whose heads lie at or below `limit`. */
static void expand(struct acyclic *a, uint32_t u, uint32_t limit)
{
    uint32_t cost = a->cost[u];
    for (uint32_t i = a->out_start[u]; i < a->out_start[u + 1]; i++) {
        uint32_t v = a->edges.data[a->out_fixed[i]].to;
        if (a->rank[v] <= limit)
            meet(a, v, a->out_fixed[i], cost, &a->near);
    }
    for (uint32_t e = a->out_head[u]; e != NONE; e = a->out_next.data[e]) {
        uint32_t v = a->edges.data[e].to;
        if (a->rank[v] <= limit)
            meet(a, v, e, cost + 1, &a->far);
    }
}

/* Search forward from b up to the rank of `target`.  True: target was reached, by a path with the
 * fewest told edges.  a->ahead gets everything met. */
static bool search_ahead(struct acyclic *a, uint32_t b, uint32_t target)
{
    uint32_t limit = a->rank[target];
    a->search++;
    vec_clear(&a->ahead);
    vec_clear(&a->near);
    vec_clear(&a->far);
    meet(a, b, NONE, 0, &a->near);
    for (uint32_t cost = 0; a->near.len || a->far.len; cost++) {
        for (size_t i = 0; i < a->near.len; i++) {
            uint32_t u = a->near.data[i];
            if (u == target)
                return true;
            if (a->cost[u] == cost)
                expand(a, u, limit);
        }
        vec_clear(&a->near);
        sat_lits swap = a->near;
        a->near = a->far;
        a->far = swap;
    }
    return false;
}

/* What leads to `from` at ranks above b's. */
static void search_behind(struct acyclic *a, uint32_t from, uint32_t b)
{
    uint32_t limit = a->rank[b];
    a->search++;
    vec_clear(&a->behind);
    vec_push(&a->behind, from);
    a->mark[from] = a->search;
    for (size_t i = 0; i < a->behind.len; i++) {
        uint32_t u = a->behind.data[i];
        for (uint32_t j = a->in_start[u]; j < a->in_start[u + 1]; j++) {
            uint32_t v = a->edges.data[a->in_fixed[j]].from;
            if (a->rank[v] > limit && a->mark[v] != a->search) {
                a->mark[v] = a->search;
                vec_push(&a->behind, v);
            }
        }
        for (uint32_t e = a->in_head[u]; e != NONE; e = a->in_next.data[e]) {
            uint32_t v = a->edges.data[e].from;
            if (a->rank[v] > limit && a->mark[v] != a->search) {
                a->mark[v] = a->search;
                vec_push(&a->behind, v);
            }
        }
    }
}

/* --- rearranging ------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int by_rank(const void *a, const void *b, void *rank)
{
    const uint32_t *r = rank;
    return by_number(&r[*(const uint32_t *)a], &r[*(const uint32_t *)b]);
}

/* The nodes behind, then those ahead, each group in its old order, on the ranks of both. */
static void rearrange(struct acyclic *a)
{
    qsort_r(a->behind.data, a->behind.len, sizeof *a->behind.data, by_rank, a->rank);
    qsort_r(a->ahead.data, a->ahead.len, sizeof *a->ahead.data, by_rank, a->rank);
    vec_clear(&a->ranks);
    for (size_t i = 0; i < a->behind.len; i++)
        vec_push(&a->ranks, a->rank[a->behind.data[i]]);
    for (size_t i = 0; i < a->ahead.len; i++)
        vec_push(&a->ranks, a->rank[a->ahead.data[i]]);
    qsort(a->ranks.data, a->ranks.len, sizeof *a->ranks.data, by_number);
    for (size_t i = 0; i < a->behind.len; i++)
        a->rank[a->behind.data[i]] = a->ranks.data[i];
    for (size_t i = 0; i < a->ahead.len; i++)
        a->rank[a->ahead.data[i]] = a->ranks.data[a->behind.len + i];
}

/* --- the theory ------------------------------------------------------------------------------- */

static void link_edge(struct acyclic *a, uint32_t e)
{
    const struct acyclic_edge *x = &a->edges.data[e];
    a->out_next.data[e] = a->out_head[x->from];
    a->out_head[x->from] = e;
    a->in_next.data[e] = a->in_head[x->to];
    a->in_head[x->to] = e;
}

static void unlink_edge(struct acyclic *a, uint32_t e)
{
    const struct acyclic_edge *x = &a->edges.data[e];
    assert(a->out_head[x->from] == e && a->in_head[x->to] == e);
    a->out_head[x->from] = a->out_next.data[e];
    a->in_head[x->to] = a->in_next.data[e];
}

static void add_reason(const struct acyclic *a, uint32_t edge, sat_lits *conflict)
{
    uint32_t lit = a->edges.data[edge].lit;
    if (lit == ACYCLIC_FIXED)
        return;
    for (size_t i = 0; i < conflict->len; i++)
        if (conflict->data[i] == sat_neg(lit))
            return;
    vec_push(conflict, sat_neg(lit));
}

/* The cycle: edge `e`, then the path found from its head back to its tail. */
static void report(struct acyclic *a, uint32_t e, sat_lits *conflict, uint32_t *tag)
{
    uint32_t from = a->edges.data[e].from, head = a->edges.data[e].to;
    if (a->keep_cycles) {
        *tag = (uint32_t)a->cycle_start.len;
        vec_push(&a->cycle_start, (uint32_t)a->cycle_edges.len);
        vec_push(&a->cycle_edges, e);
    }
    add_reason(a, e, conflict);
    for (uint32_t u = from; u != head; u = a->edges.data[a->via[u]].from) {
        add_reason(a, a->via[u], conflict);
        if (a->keep_cycles)
            vec_push(&a->cycle_edges, a->via[u]);
    }
    if (!a->keep_cycles)
        return;
    /* The path was collected backwards. */
    uint32_t *p = a->cycle_edges.data + vec_last(&a->cycle_start) + 1;
    for (uint32_t *q = a->cycle_edges.data + a->cycle_edges.len; q - p > 1; p++) {
        uint32_t x = *--q;
        *q = *p;
        *p = x;
    }
}

static bool insert(struct acyclic *a, uint32_t e)
{
    uint32_t from = a->edges.data[e].from, to = a->edges.data[e].to;
    if (a->rank[from] > a->rank[to]) {
        if (search_ahead(a, to, from)) {
            a->steps += a->ahead.len;
            return false;
        }
        search_behind(a, from, to);
        rearrange(a);
        a->steps += a->ahead.len + a->behind.len;
    }
    link_edge(a, e);
    return true;
}

/* The edge of a literal that came late, or NONE. */
static uint32_t late_edge(const struct acyclic *a, uint32_t lit)
{
    return lit - a->lits < a->late.len ? a->late.data[lit - a->lits] - 1 : NONE;
}

static bool tell_late(struct acyclic *a, uint32_t e, sat_lits *conflict, uint32_t *tag)
{
    if (e == NONE || insert(a, e))
        return true;
    report(a, e, conflict, tag);
    return false;
}

static bool tell(void *self, uint32_t lit, sat_lits *conflict, uint32_t *tag)
{
    struct acyclic *a = self;
    if (lit >= a->lits)
        return tell_late(a, late_edge(a, lit), conflict, tag);
    for (uint32_t i = a->lit_start[lit]; i < a->lit_start[lit + 1]; i++) {
        if (insert(a, a->lit_edge[i]))
            continue;
        report(a, a->lit_edge[i], conflict, tag);
        while (i-- > a->lit_start[lit])
            unlink_edge(a, a->lit_edge[i]);
        return false;
    }
    return true;
}

static void untell(void *self, uint32_t lit)
{
    struct acyclic *a = self;
    if (lit >= a->lits) {
        if (late_edge(a, lit) != NONE)
            unlink_edge(a, late_edge(a, lit));
        return;
    }
    for (uint32_t i = a->lit_start[lit + 1]; i-- > a->lit_start[lit];)
        unlink_edge(a, a->lit_edge[i]);
}

struct sat_theory acyclic_theory(struct acyclic *a)
{
    return (struct sat_theory){a, tell, untell};
}

size_t acyclic_cycle(const struct acyclic *a, uint32_t tag, const uint32_t **edges)
{
    uint32_t start = a->cycle_start.data[tag];
    *edges = a->cycle_edges.data + start;
    return (tag + 1 < a->cycle_start.len ? a->cycle_start.data[tag + 1] : a->cycle_edges.len) -
           start;
}
