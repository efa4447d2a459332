/* The core of a solver's refutation: clauses over what is open, and the cycles behind them. */
#ifndef CHECK_EXPLAIN_EXPLAIN_CORE_H
#define CHECK_EXPLAIN_EXPLAIN_CORE_H

#include "check/explain/explain_graph.h"
#include "check/graph/residual.h"

struct core_clause {
    uint32_t start, len; /* of lits */
    uint32_t cycle;      /* in the core, or HIST_NONE: from the problem itself */
};

struct explain_core {
    const struct residual *open;
    const struct backend_answer *answer;
    VEC(struct core_clause) clauses; /* the cycles' first, in their order */
    sat_lits lits;
    sat_lits aggregates; /* aggregates that the core rests on: asked as a whole, not by clauses */
    uint32_t plain;      /* so many clauses; one more stands for an aggregate that cannot be had */
};

void explain_core_load(struct explain_core *core, const struct residual *open,
                       const struct backend_answer *answer);
void explain_core_free(struct explain_core *core);
/* A cycle of the core as a path of the graph. */
void explain_core_path(const struct explain_core *core, uint32_t cycle, eg_path *out);

#endif
