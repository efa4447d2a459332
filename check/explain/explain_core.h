/* The core of a solver's refutation: clauses over the undecided orders and sources, and the cycles
 * behind these clauses. */
#ifndef CHECK_EXPLAIN_EXPLAIN_CORE_H
#define CHECK_EXPLAIN_EXPLAIN_CORE_H

#include "check/explain/explain_graph.h"
#include "check/graph/residual.h"

struct core_clause {
    uint32_t start, len; /* of lits */
    uint32_t cycle;      /* index in the core; HIST_NONE: the clause is the problem's own */
};

struct explain_core {
    const struct residual *open;
    const struct backend_answer *answer;
    VEC(struct core_clause) clauses; /* those of the cycles first, in their order */
    sat_lits lits;
    sat_lits aggregates; /* the aggregates of the core: each is tested as a whole, not by clauses */
    uint32_t plain;      /* the number of clauses; index `plain` means "an aggregate fails" */
};

void explain_core_load(struct explain_core *core, const struct residual *open,
                       const struct backend_answer *answer);
void explain_core_free(struct explain_core *core);
/* Write a cycle of the core as a path of the graph. */
void explain_core_path(const struct explain_core *core, uint32_t cycle, eg_path *out);

#endif
