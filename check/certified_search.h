/* Behind the door (check.h): one level of a history whose predicate reads are in terms of items.
 *
 * The answer is certified against that history (certify.h): an OK by an order of the transactions
 * that was replayed, a VIOLATION by an anomaly of single operations or by cycles whose every edge
 * follows from the history.  guard.h has the guards that look at more than this history. */
#ifndef CHECK_CERTIFIED_SEARCH_H
#define CHECK_CERTIFIED_SEARCH_H

#include "check/problem/question.h"

/* A history with predicate reads other than ranges must have gone through lower.h, and so must one
 * with ranges for LEVEL_ITEMS_ONLY: otherwise the answer is UNKNOWN. */
void check_items(const struct history *h, const struct check_options *o, struct check_result *r);

#endif
