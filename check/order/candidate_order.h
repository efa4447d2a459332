/* A first try for histories with aggregates over rows in versions that are not known: the
 * transactions one after the other, as the history has them or as they ended.  Where that explains
 * everything, nothing has to be searched for. */
#ifndef CHECK_ORDER_CANDIDATE_ORDER_H
#define CHECK_ORDER_CANDIDATE_ORDER_H

#include "check/problem/question.h"

/* True: the answer is OK.  False means nothing. */
bool candidate_order(const struct history *h, const struct check_options *o,
                     struct check_result *r);

#endif
