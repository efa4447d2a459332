/* Version orders from outside: a file beside the history, what complete means, and the versions of
 * every key in their order. */
#ifndef HISTORY_VERSION_ORDER_H
#define HISTORY_VERSION_ORDER_H

#include "history/history.h"

/* Add the orders of a file (docs/history-format.md) to a finished history.  NULL, or a message with
 * its place. */
const char *vo_read(struct history *h, const char *path, const char *text, size_t size,
                    struct arena *messages);
/* NULL, or what is contradictory in an order; or what is missing from orders that claim to be
 * complete. */
const char *vo_check(const struct history *h, struct arena *messages);

/* The final writes of committed transactions, key by key, oldest first. */
struct vo_chains {
    uint32_t *start; /* keys + 1 */
    uint32_t *ops;
    uint32_t *pos; /* per operation: its place in its key's chain, from 1; 0: it has none */
};
void vo_chains_build(struct vo_chains *c, const struct history *h);
void vo_chains_free(struct vo_chains *c);

#endif
