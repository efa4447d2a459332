/* Version orders from outside: reading them from a file beside the history, checking that they are
 * complete, and the versions of every key in their order. */
#ifndef HISTORY_VERSION_ORDER_H
#define HISTORY_VERSION_ORDER_H

#include "history/history.h"

/* Add the orders of a file (docs/history-format.md) to a finished history.  NULL, or a message with
 * its place. */
const char *vo_read(struct history *h, const char *path, const char *text, size_t size,
                    struct arena *messages);
/* NULL, or an error with its place: an order is contradictory, or orders that claim to be complete
 * are not. */
const char *vo_check(const struct history *h, struct arena *messages);

/* The final writes of committed transactions, key by key, oldest first. */
struct vo_chains {
    uint32_t *start; /* keys + 1 */
    uint32_t *ops;
    uint32_t *pos; /* per operation: its position in its key's chain, from 1; 0: not in it */
};
void vo_chains_build(struct vo_chains *c, const struct history *h);
void vo_chains_free(struct vo_chains *c);

#endif
