/* Inside the builder of histories: reads of several rows. */
#ifndef HISTORY_HIST_ROWS_H
#define HISTORY_HIST_ROWS_H

#include "history/history.h"

struct hist_row {
    uint32_t key;
    struct hist_value value;
    uint64_t id;
};

/* Replace every HIST_PREDICATE by reads of the rows that it returned.  NULL, or an error
 * message. */
const char *hist_expand_predicates(struct history *h);

#endif
