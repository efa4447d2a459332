/* The solver counts its literals alone, so it runs for a slice of the budget at a time, and all of
 * its work is counted after each; see bounded.h. */
#include "check/solver/bounded.h"

#include "base/limit.h"

#define CONFLICT 16 /* steps: to learn from a conflict costs about as much as so many literals */
#define SHORTEST 2000

uint64_t bounded_work(const struct sat *s, const struct acyclic *graph)
{
    struct stats done = {0};
    sat_stats(s, &done);
    return done.propagations + CONFLICT * done.conflicts + (graph ? acyclic_steps(graph) : 0);
}

static uint64_t slice(const struct budget *b)
{
    uint64_t left = budget_left(b);
    if (left == BUDGET_ENDLESS)
        return 0;
    return left / 4 > SHORTEST ? left / 4 : SHORTEST;
}

enum sat_result bounded_solve(struct sat *s, const struct acyclic *graph, struct budget *b)
{
    for (;;) {
        uint64_t before = bounded_work(s, graph);
        sat_set_budget(s, 0, slice(b));
        enum sat_result r = sat_solve(s);
        budget_spend(b, bounded_work(s, graph) - before);
        if (r != SAT_STOPPED || limit_reached() || budget_is_over(b))
            return r;
    }
}
