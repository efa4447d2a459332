/* The built-in solver behind the common interface; see backend.h. */
#include "check/solver/backend.h"

#include <assert.h>

#include "base/limit.h"
#include "check/solver/bounded.h"

uint32_t backend_var(struct backend_problem *p, bool phase)
{
    vec_push(&p->phase, phase);
    return p->vars++;
}

void backend_clause(struct backend_problem *p, const uint32_t *lits, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(&p->lits, lits[i]);
    vec_push(&p->ends, (uint32_t)p->lits.len);
}

void backend_edge(struct backend_problem *p, uint32_t from, uint32_t to, uint32_t lit, uint32_t tag)
{
    vec_push(&p->edges, ((struct acyclic_edge){from, to, lit, tag}));
}

void backend_problem_free(struct backend_problem *p)
{
    vec_free(&p->edges);
    vec_free(&p->phase);
    vec_free(&p->lits);
    vec_free(&p->ends);
}

void backend_answer_free(struct backend_answer *a)
{
    mem_free(a->value);
    mem_free(a->order);
    vec_free(&a->core_clauses);
    vec_free(&a->core_edges);
    vec_free(&a->core_ends);
    *a = (struct backend_answer){0};
}

static bool edge_on(const struct backend_answer *a, const struct acyclic_edge *e)
{
    return e->lit == ACYCLIC_FIXED || a->value[e->lit / 2] != (e->lit & 1);
}

/* Kahn's algorithm; ties by the first guess would be nicer to read but cost a heap. */
bool backend_order(const struct backend_problem *p, struct backend_answer *out)
{
    uint32_t *degree = mem_calloc(p->nodes + 1, sizeof *degree);
    uint32_t *start = mem_calloc((size_t)p->nodes + 2, sizeof *start);
    uint32_t *heads = mem_alloc(mem_mul(p->edges.len + 1, sizeof *heads));
    for (size_t i = 0; i < p->edges.len; i++)
        if (edge_on(out, &p->edges.data[i])) {
            start[p->edges.data[i].from + 2]++;
            degree[p->edges.data[i].to]++;
        }
    for (uint32_t u = 0; u < p->nodes; u++)
        start[u + 2] += start[u + 1];
    for (size_t i = 0; i < p->edges.len; i++)
        if (edge_on(out, &p->edges.data[i]))
            heads[start[p->edges.data[i].from + 1]++] = p->edges.data[i].to;
    out->order = mem_alloc(mem_mul(p->nodes + 1, sizeof *out->order));
    uint32_t len = 0;
    for (uint32_t i = 0; i < p->nodes; i++)
        if (!degree[p->order[i]])
            out->order[len++] = p->order[i];
    for (uint32_t i = 0; i < len; i++) {
        uint32_t u = out->order[i];
        for (uint32_t j = start[u]; j < start[u + 1]; j++)
            if (!--degree[heads[j]])
                out->order[len++] = heads[j];
    }
    mem_free(degree);
    mem_free(start);
    mem_free(heads);
    return len == p->nodes;
}

/* --- the built-in solver ---------------------------------------------------------------------- */

static void keep_core(struct sat *s, const struct acyclic *a, struct backend_answer *out)
{
    sat_lits tags = {0};
    sat_core(s, &out->core_clauses, &tags);
    for (size_t i = 0; i < tags.len; i++) {
        const uint32_t *edges;
        size_t n = acyclic_cycle(a, tags.data[i], &edges);
        for (size_t j = 0; j < n; j++)
            vec_push(&out->core_edges, edges[j]);
        vec_push(&out->core_ends, (uint32_t)out->core_edges.len);
    }
    vec_free(&tags);
}

struct acyclic *backend_graph(const struct backend_problem *p, bool keep_cycles)
{
    struct acyclic *a = acyclic_new(p->nodes, p->order, keep_cycles);
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct acyclic_edge *e = &p->edges.data[i];
        acyclic_add_edge(a, e->from, e->to, e->lit, e->tag);
    }
    acyclic_start(a, p->vars);
    return a;
}

static struct sat *load(const struct backend_problem *p, uint64_t seed, bool trace)
{
    enum { FAR = 100 };
    struct sat *s = sat_new(seed, trace);
    sat_be_patient(s, trace ? 0 : FAR); /* explanations are shorter without */
    for (uint32_t v = 0; v < p->vars; v++)
        sat_new_var(s, p->phase.data[v]);
    for (size_t i = 0; i < p->ends.len; i++) {
        uint32_t start = i ? p->ends.data[i - 1] : 0;
        sat_add_clause(s, p->lits.data + start, p->ends.data[i] - start);
    }
    return s;
}

/* With the graph asked at every step. */
static enum sat_result search(struct sat *s, struct backend_layout *l, struct budget *b,
                              uint8_t *value)
{
    backend_layout_clear(l);
    sat_set_theory(s, &l->theory);
    enum sat_result r = bounded_solve(s, l->graph, b);
    for (uint32_t v = 0; v < l->p->vars && r == SAT_YES; v++)
        value[v] = sat_value(s, v);
    return r;
}

/* Explanations come from the search, because they are shorter; but not where it takes too long. */
static void builtin(const struct backend_problem *p, const struct backend_options *o, bool core,
                    struct backend_answer *out)
{
    enum { ROUNDS = 60, FEW = 3000 };
    struct sat *s = load(p, o->seed, core);
    struct backend_layout l;
    backend_layout_init(&l, p, core);
    out->value = mem_alloc((size_t)p->vars + 1);
    if (!core || p->vars > FEW)
        out->result = backend_lazy(s, &l, ROUNDS, o->budget, out->value);
    if (out->result == SAT_STOPPED && !limit_reached() && !budget_is_over(o->budget))
        out->result = search(s, &l, o->budget, out->value);
    if (out->result == SAT_YES)
        backend_layout_order(&l, out);
    if (out->result == SAT_NO && core)
        keep_core(s, l.graph, out);
    if (o->stats)
        sat_stats(s, o->stats);
    backend_layout_free(&l);
    sat_free(s);
}

void backend_solve(const struct backend_problem *p, const struct backend_options *o, bool core,
                   struct backend_answer *out)
{
    *out = (struct backend_answer){.result = SAT_STOPPED};
    limit_step("the solver's search");
    if (o->kind == BACKEND_BUILTIN || core || budget_left(o->budget) != BUDGET_ENDLESS)
        builtin(p, o, core, out);
    else if (o->kind == BACKEND_Z3)
        backend_z3(p, o, out);
    else
        backend_monosat(p, o, out);
}

const char *backend_missing(const struct backend_options *o, struct arena *messages)
{
    return o->kind == BACKEND_MONOSAT ? backend_monosat_missing(o->monosat_path, messages) : NULL;
}
