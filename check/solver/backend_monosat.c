/* MonoSAT as a cross-check (Bayless et al., SAT modulo monotonic theories, AAAI 2015): loaded at
 * run time, because no package archive has it; see backend.h. */
#include "check/solver/backend.h"

#include <dlfcn.h>

#include "base/limit.h"

/* The few functions of its C interface that we call. */
struct monosat {
    void *library;
    void *(*new_solver)(void);
    void (*delete_solver)(void *);
    void *(*new_graph)(void *);
    int (*new_node)(void *, void *);
    int (*new_edge)(void *, void *, int, int, int64_t);
    int (*acyclic_directed)(void *, void *);
    int (*new_var)(void *);
    bool (*add_clause)(void *, int *, int);
    void (*conflict_limit)(void *, int);
    int (*solve_limited)(void *); /* 0 satisfiable, 1 not, 2 the limit was reached */
    int (*model_literal)(void *, int);
};

/* POSIX lets a function pointer come as a void *; C does not, so copy the bytes. */
static bool find(struct monosat *m, const char *name, void *to)
{
    void *symbol = dlsym(m->library, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol;
}

static const char *open_library(struct monosat *m, const char *path, struct arena *messages)
{
    m->library = dlopen(path ? path : "libmonosat.so", RTLD_NOW | RTLD_LOCAL);
    if (!m->library)
        return arena_printf(
            messages,
            "MonoSAT is not there (%s). It is in no package archive: build "
            "libmonosat.so from https://github.com/sambayless/monosat (cmake, zlib, "
            "GMP) and name it with --monosat PATH, or put it where the loader "
            "looks; --solver builtin and --solver z3 need nothing",
            dlerror());
    if (!find(m, "newSolver", &m->new_solver) || !find(m, "deleteSolver", &m->delete_solver) ||
        !find(m, "newGraph", &m->new_graph) || !find(m, "newNode", &m->new_node) ||
        !find(m, "newEdge", &m->new_edge) || !find(m, "acyclic_directed", &m->acyclic_directed) ||
        !find(m, "newVar", &m->new_var) || !find(m, "addClause", &m->add_clause) ||
        !find(m, "setConflictLimit", &m->conflict_limit) ||
        !find(m, "solveLimited", &m->solve_limited) ||
        !find(m, "getModel_Literal", &m->model_literal)) {
        dlclose(m->library);
        m->library = NULL;
        return arena_printf(messages, "%s is not MonoSAT: a function of its interface is missing",
                            path ? path : "libmonosat.so");
    }
    return NULL;
}

const char *backend_monosat_missing(const char *path, struct arena *messages)
{
    struct monosat m = {0};
    const char *error = open_library(&m, path, messages);
    if (!error)
        dlclose(m.library);
    return error;
}

struct run {
    struct monosat m;
    void *solver, *graph;
    int *var;
    bool consistent;
};

static void clause(struct run *r, int *lits, int n)
{
    r->consistent &= r->m.add_clause(r->solver, lits, n);
}

static int literal(const struct run *r, uint32_t lit)
{
    return 2 * r->var[lit / 2] + (int)(lit & 1);
}

static void load(struct run *r, const struct backend_problem *p)
{
    r->consistent = true;
    for (uint32_t v = 0; v < p->vars; v++)
        r->var[v] = r->m.new_var(r->solver);
    for (uint32_t u = 0; u < p->nodes; u++)
        r->m.new_node(r->solver, r->graph);
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct acyclic_edge *e = &p->edges.data[i];
        int edge = r->m.new_edge(r->solver, r->graph, (int)e->from, (int)e->to, 1);
        int c[] = {edge, e->lit == ACYCLIC_FIXED ? 0 : literal(r, sat_neg(e->lit))};
        clause(r, c, e->lit == ACYCLIC_FIXED ? 1 : 2);
    }
    VEC(int) lits = {0};
    for (size_t i = 0, at = 0; i < p->ends.len; i++) {
        vec_clear(&lits);
        for (; at < p->ends.data[i]; at++)
            vec_push(&lits, literal(r, p->lits.data[at]));
        clause(r, lits.data, (int)lits.len);
    }
    vec_free(&lits);
    int acyclic = r->m.acyclic_directed(r->solver, r->graph);
    clause(r, &acyclic, 1);
}

/* The library knows no interrupt, so it is asked in portions. */
static enum sat_result solve(struct run *r)
{
    enum { PORTION = 2000 };
    int answer = r->consistent ? 2 : 1;
    while (answer == 2 && !limit_reached()) {
        r->m.conflict_limit(r->solver, PORTION);
        answer = r->m.solve_limited(r->solver);
    }
    return answer == 0 ? SAT_YES : answer == 1 ? SAT_NO : SAT_STOPPED;
}

static void keep_model(const struct run *r, const struct backend_problem *p,
                       struct backend_answer *out)
{
    out->value = mem_alloc((size_t)p->vars + 1);
    for (uint32_t v = 0; v < p->vars; v++)
        out->value[v] = r->m.model_literal(r->solver, 2 * r->var[v]) == 0;
    if (!backend_order(p, out)) {
        out->result = SAT_STOPPED;
        out->error = "MonoSAT's model has a cycle";
    }
}

void backend_monosat(const struct backend_problem *p, const struct backend_options *o,
                     struct backend_answer *out)
{
    struct run r = {0};
    struct arena messages = {0};
    bool missing = open_library(&r.m, o->monosat_path, &messages);
    arena_free(&messages);
    if (missing) { /* backend_missing says more */
        out->error = "MonoSAT is not installed";
        return;
    }
    struct backend_problem core;
    backend_core(p, &core);
    r.solver = r.m.new_solver();
    r.graph = r.m.new_graph(r.solver);
    r.var = mem_alloc(mem_mul((size_t)p->vars + 1, sizeof *r.var));
    load(&r, &core);
    out->result = solve(&r);
    if (out->result == SAT_YES)
        keep_model(&r, p, out);
    backend_problem_free(&core);
    mem_free(r.var);
    r.m.delete_solver(r.solver);
    dlclose(r.m.library);
}
