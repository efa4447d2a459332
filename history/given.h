/* A first try for histories with aggregates over rows in versions that are not known: the
 * transactions one after the other, as the history has them or as they ended.  Where that explains
 * everything, nothing has to be searched for. */
#ifndef HISTORY_GIVEN_H
#define HISTORY_GIVEN_H

#include "history/check.h"

/* True: the answer is OK.  False means nothing. */
bool given_order(const struct history *h, const struct check_options *o, struct check_result *r);

#endif
