/* From a contradiction to an explanation that a person can follow: a cycle whose edges the history
 * shows and, for every version order or read source that the cycle rests on, why the alternative is
 * impossible (PolySI, VLDB 2023, section 5: restoring what pruning took away). */
#ifndef CHECK_EXPLAIN_EXPLAIN_H
#define CHECK_EXPLAIN_EXPLAIN_H

#include "check/graph/residual.h"
#include "check/graph/polygraph.h"

/* The known edges of g have a cycle. */
void explain_cycle(struct pg *g, struct check_result *r);
/* The choice has no possible source left. */
void explain_no_source(struct pg *g, uint32_t choice, struct check_result *r);
/* The candidates that are left cannot give the aggregate (an index in g->p->aggregates) its
 * result. */
void explain_no_result(struct pg *g, uint32_t aggregate, struct check_result *r);
/* The aggregates contradict each other or the reads of their transactions in every order. */
void explain_mismatch(const struct prob *p, const uint32_t *aggregates, size_t n,
                      struct check_result *r);
/* The solver found no solution; the answer has a core.  False: there are no cases, because they
 * would be too long to write down or nobody wants them, but lemmas. */
bool explain_unsat(struct residual *x, const struct backend_answer *a, bool cases,
                   struct check_result *r);

/* The last step for every violation: drop what is not needed, pick the mildest cycle, name it. */
void explain_finish(const struct history *h, struct check_result *r);

#endif
