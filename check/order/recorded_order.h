/* The order in which a history was recorded, taken for the order of commits.
 *
 * Most recorders write a transaction down when it has ended, or with the time of its end.  If the
 * database keeps its promise, that order (or one close to it) explains the history.  Testing it
 * takes one look at every operation: no graph, no clocks, no matter how many sessions there are. */
#ifndef CHECK_ORDER_RECORDED_ORDER_H
#define CHECK_ORDER_RECORDED_ORDER_H

#include "check/graph/polygraph.h"

/* SER, SI and PC, for registers whose reads have one possible writer.  True: r->order satisfies the
 * level.  False: the recorded order does not explain the history, which proves nothing. */
bool recorded_order(const struct prob *p, const struct check_options *o, struct check_result *r);
/* A guess for the solver: all nodes in an order that agrees with the known graph and, where that
 * leaves a choice, follows the trail (NULL: the history).  Needs a graph without cycles. */
void recorded_guess(struct pg *g, const struct check_trail *trail, uint32_t *order);
/* Turn an order of all nodes into a trail. */
void recorded_trail(const struct pg *g, const uint32_t *order, struct check_trail *out);

#endif
