/* Adding the edges of an assignment to the graph, and solving by repeating that; see backend.h.
 *
 * This is the loop of lazy SMT solving (Barrett, Dill and Stump, CAV 2002): solve the clauses
 * alone, put the edges of the true literals into the graph one by one, and make a clause of every
 * cycle that one would close.  A round finds many cycles at once, where a search that asks the
 * graph at every step finds one and then has to decide thousands of variables again.  With a good
 * guess to start from, a few dozen rounds are enough; where they are not, the search goes on with
 * the graph at hand. */
#include <assert.h>

#include "base/limit.h"
#include "check/solver/backend.h"
#include "check/solver/bounded.h"

void backend_layout_init(struct backend_layout *l, const struct backend_problem *p, bool cycles)
{
    *l = (struct backend_layout){.p = p, .graph = backend_graph(p, cycles)};
    l->theory = acyclic_theory(l->graph);
}

void backend_layout_clear(struct backend_layout *l)
{
    while (l->told.len)
        l->theory.untell(l->theory.self, vec_pop(&l->told));
}

void backend_layout_free(struct backend_layout *l)
{
    acyclic_free(l->graph);
    vec_free(&l->told);
    vec_free(&l->conflict);
}

bool backend_lay_out(struct backend_layout *l, const uint8_t *value, backend_lemma *lemma,
                     void *arg)
{
    bool acyclic = true;
    backend_layout_clear(l);
    for (uint32_t v = 0; v < l->p->vars; v++) {
        uint32_t lit = 2 * v + !value[v], tag = 0;
        if (limit_reached()) /* one edge may take long in a large graph */
            return false;
        vec_clear(&l->conflict);
        if (l->theory.tell(l->theory.self, lit, &l->conflict, &tag)) {
            vec_push(&l->told, lit);
            continue;
        }
        acyclic = false;
        lemma(arg, l->conflict.data, l->conflict.len, tag);
    }
    return acyclic;
}

void backend_layout_order(const struct backend_layout *l, struct backend_answer *out)
{
    out->order = mem_alloc(mem_mul((size_t)l->p->nodes + 1, sizeof *out->order));
    for (uint32_t u = 0; u < l->p->nodes; u++)
        out->order[acyclic_rank(l->graph, u)] = u;
}

static void add_lemma(void *arg, const uint32_t *lits, size_t n, uint32_t tag)
{
    sat_add_lemma(arg, lits, n, tag);
}

enum sat_result backend_lazy(struct sat *s, struct backend_layout *l, uint32_t rounds,
                             struct budget *b, uint8_t *value)
{
    while (rounds-- && !limit_reached() && !budget_is_over(b)) {
        enum sat_result r = bounded_solve(s, NULL, b);
        if (r != SAT_YES)
            return r;
        for (uint32_t v = 0; v < l->p->vars; v++)
            value[v] = sat_value(s, v);
        sat_restart(s);
        uint64_t before = acyclic_steps(l->graph);
        bool acyclic = backend_lay_out(l, value, add_lemma, s);
        budget_spend(b, acyclic_steps(l->graph) - before);
        if (acyclic)
            return SAT_YES;
    }
    return SAT_STOPPED;
}
