/* Reducing a problem to the part that can be on a cycle, for solvers that are slow on large graphs.
 *
 * Nearly all of a history's graph is settled: in the graph with every edge present, an edge between
 * two strongly connected components is on no cycle, whatever values the literals have. */
#include "check/solver/backend.h"
#include "base/components.h"

static void find(const struct backend_problem *p, struct components *c)
{
    uint32_t *start = mem_calloc((size_t)p->nodes + 2, sizeof *start);
    uint32_t *heads = mem_alloc(mem_mul(p->edges.len + 1, sizeof *heads));
    for (size_t i = 0; i < p->edges.len; i++)
        start[p->edges.data[i].from + 2]++;
    for (uint32_t u = 0; u < p->nodes; u++)
        start[u + 2] += start[u + 1];
    for (size_t i = 0; i < p->edges.len; i++)
        heads[start[p->edges.data[i].from + 1]++] = p->edges.data[i].to;
    components_find(c, p->nodes, start, heads);
    mem_free(start);
    mem_free(heads);
}

void backend_core(const struct backend_problem *p, struct backend_problem *core)
{
    struct components c;
    find(p, &c);
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
    components_free(&c);
}
