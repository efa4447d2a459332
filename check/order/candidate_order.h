/* A first try for histories with aggregates over rows whose versions are not known: the
 * transactions one after the other, in the order of the history or of their ends.  If that explains
 * every read, no search is needed. */
#ifndef CHECK_ORDER_CANDIDATE_ORDER_H
#define CHECK_ORDER_CANDIDATE_ORDER_H

#include "check/problem/question.h"

/* True: *r is an OK.  False: this order explains nothing, which proves nothing. */
bool candidate_order(const struct history *h, const struct check_options *o,
                     struct check_result *r);

#endif
