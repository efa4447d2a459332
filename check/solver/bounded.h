/* The solver's search within a budget of steps. */
#ifndef CHECK_SOLVER_BOUNDED_H
#define CHECK_SOLVER_BOUNDED_H

#include "base/budget.h"
#include "check/solver/acyclic.h"

/* As sat_solve, but SAT_STOPPED when the budget is over.  The steps are the literals that became
 * true, the conflicts, and the nodes that the graph met; `graph` may be NULL. */
enum sat_result bounded_solve(struct sat *s, const struct acyclic *graph, struct budget *b);
/* The work of the solver and the graph so far, in steps. */
uint64_t bounded_work(const struct sat *s, const struct acyclic *graph);

#endif
