/* The order in which a history was recorded, taken for the order of commits.
 *
 * Most recorders write a transaction down when it has ended, or with the time of its end.  If the
 * store is as good as it should be, that order (or one close to it) explains the history, and to
 * see whether it does takes one look at every operation: no graph, no clocks, no matter how many
 * sessions there are. */
#ifndef CHECK_ORDER_RECORDED_ORDER_H
#define CHECK_ORDER_RECORDED_ORDER_H

#include "check/graph/polygraph.h"

/* SER, SI and PC, for registers whose reads have one possible writer.  True: r->order satisfies the
 * level.  False means nothing. */
bool recorded_order(const struct prob *p, const struct check_options *o, struct check_result *r);
/* All nodes in an order that follows the known graph, and where that leaves a choice the trail
 * (NULL: the history): a guess for the solver.  Needs a graph without cycles. */
void recorded_guess(struct pg *g, const struct check_trail *trail, uint32_t *order);
/* An order of all nodes as a trail. */
void recorded_trail(const struct pg *g, const uint32_t *order, struct check_trail *out);

#endif
