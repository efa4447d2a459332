/* Cutting a problem down to what can be on a cycle, for solvers that do not like large graphs.
 *
 * Nearly all of a history's graph is settled: an edge between two strongly connected components
 * (Tarjan, SIAM J. Comput. 1972) of the graph with every edge there is on no cycle whatever the
 * literals are.  The depth-first search keeps its own stack, for paths are as long as histories. */
#include "history/backend.h"

struct components {
    const struct backend_problem *p;
    uint32_t *start, *heads; /* out-edges of each node */
    uint32_t *number, *low,
        *at;                    /* per node; number 0: not met, UINT32_MAX: its component is done */
    uint32_t *component, *size; /* per node; per component */
    uint32_t components, numbers;
    sat_lits path, open;
};

static void index_edges(struct components *c)
{
    const struct backend_problem *p = c->p;
    c->start = mem_calloc((size_t)p->nodes + 2, sizeof *c->start);
    c->heads = mem_alloc(mem_mul(p->edges.len + 1, sizeof *c->heads));
    for (size_t i = 0; i < p->edges.len; i++)
        c->start[p->edges.data[i].from + 2]++;
    for (uint32_t u = 0; u < p->nodes; u++)
        c->start[u + 2] += c->start[u + 1];
    for (size_t i = 0; i < p->edges.len; i++)
        c->heads[c->start[p->edges.data[i].from + 1]++] = p->edges.data[i].to;
}

static void enter(struct components *c, uint32_t u)
{
    c->number[u] = c->low[u] = ++c->numbers;
    c->at[u] = c->start[u];
    vec_push(&c->path, u);
    vec_push(&c->open, u);
}

static void leave(struct components *c, uint32_t u)
{
    c->path.len--;
    if (c->low[u] < c->number[u]) {
        uint32_t parent = vec_last(&c->path);
        if (c->low[u] < c->low[parent])
            c->low[parent] = c->low[u];
        return;
    }
    uint32_t v;
    do {
        v = vec_pop(&c->open);
        c->number[v] = UINT32_MAX;
        c->component[v] = c->components;
        c->size[c->components]++;
    } while (v != u);
    c->components++;
}

static void search(struct components *c, uint32_t root)
{
    enter(c, root);
    while (c->path.len) {
        uint32_t u = vec_last(&c->path);
        if (c->at[u] == c->start[u + 1]) {
            leave(c, u);
            continue;
        }
        uint32_t v = c->heads[c->at[u]++];
        if (!c->number[v])
            enter(c, v);
        else if (c->number[v] < c->low[u])
            c->low[u] = c->number[v];
    }
}

static void find(struct components *c)
{
    size_t n = (size_t)c->p->nodes + 1;
    index_edges(c);
    c->number = mem_calloc(n, sizeof *c->number);
    c->low = mem_alloc(mem_mul(n, sizeof *c->low));
    c->at = mem_alloc(mem_mul(n, sizeof *c->at));
    c->component = mem_alloc(mem_mul(n, sizeof *c->component));
    c->size = mem_calloc(n, sizeof *c->size);
    for (uint32_t u = 0; u < c->p->nodes; u++)
        if (!c->number[u])
            search(c, u);
}

static void forget(struct components *c)
{
    mem_free(c->start);
    mem_free(c->heads);
    mem_free(c->number);
    mem_free(c->low);
    mem_free(c->at);
    mem_free(c->component);
    mem_free(c->size);
    vec_free(&c->path);
    vec_free(&c->open);
}

void backend_core(const struct backend_problem *p, struct backend_problem *core)
{
    struct components c = {.p = p};
    find(&c);
    *core = (struct backend_problem){0};
    uint32_t *node = mem_alloc(mem_mul((size_t)p->nodes + 1, sizeof *node));
    for (uint32_t i = 0; i < p->nodes; i++)
        if (c.size[c.component[p->order[i]]] > 1)
            node[p->order[i]] = core->nodes++;
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct acyclic_edge *e = &p->edges.data[i];
        if (c.component[e->from] == c.component[e->to])
            backend_edge(core, node[e->from], node[e->to], e->lit, e->tag);
    }
    for (uint32_t v = 0; v < p->vars; v++)
        backend_var(core, p->phase.data[v]);
    for (size_t i = 0, at = 0; i < p->ends.len; at = p->ends.data[i++])
        backend_clause(core, p->lits.data + at, p->ends.data[i] - at);
    mem_free(node);
    forget(&c);
}
