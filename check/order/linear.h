/* Problems whose version orders are known from the start (lists, complete version orders): one
 * topological sort of a graph that is never stored.  Linear in the number of operations. */
#ifndef CHECK_ORDER_LINEAR_H
#define CHECK_ORDER_LINEAR_H

#include "check/problem/match.h"

/* Are all version orders and sources known, so that linear_sort decides? */
bool linear_applies(const struct prob *p);
/* The events of all transactions in an order that satisfies the level.  SER: transactions.  SI, PC
 * and RCS (of which each statement is a transaction of the problem): 2 t for the begin and 2 t + 1
 * for the commit of t, as numbered by the problem.  False: there is no such order, or (SI with
 * versions that no read shows) none was found. */
bool linear_sort(const struct prob *p, uint32_t *order);

#endif
