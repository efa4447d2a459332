/* Greedy replay: run the transactions one event at a time, never overwriting a version that a read
 * still has to see.  If all events run, the order is a certificate and no solver is needed; if the
 * replay gets stuck, the order so far is a good first guess for the solver. */
#ifndef CHECK_ORDER_GREEDY_H
#define CHECK_ORDER_GREEDY_H

#include "check/graph/polygraph.h"

/* All nodes in the order of the replay; those that could not run come last, in topological order.
 * True: all ran, and the order satisfies the problem.  Needs pg_sort. */
bool greedy_replay(struct pg *g, uint32_t *order);
/* How many reads and aggregates do not see, in this order, what the history says they saw? */
uint32_t greedy_misses(struct pg *g, const uint32_t *order);

#endif
