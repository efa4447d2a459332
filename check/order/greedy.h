/* Greedy replay: run the transactions one event at a time, never overwriting what somebody still
 * has to read.  If it gets through, the order is a certificate and no solver is needed; if it gets
 * stuck, the order so far is a good first guess for the solver. */
#ifndef CHECK_ORDER_GREEDY_H
#define CHECK_ORDER_GREEDY_H

#include "check/graph/polygraph.h"

/* All nodes in the order of the replay, the ones that got stuck (if any) at the end in topological
 * order.  True: it got through, and the order satisfies the problem.  Needs pg_sort. */
bool greedy_replay(struct pg *g, uint32_t *order);
/* How many reads and aggregates do not see in this order what they saw? */
uint32_t greedy_misses(struct pg *g, const uint32_t *order);

#endif
