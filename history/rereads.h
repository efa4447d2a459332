/* Reads of a row that its transaction has read or written before.
 *
 * A read may say which version it saw: by the id of the write, or that it was the initial one.  A
 * read of the same row may not say so, and yet be of the same version: after an own write at every
 * level, and if the transaction has one snapshot at all, after or before another read.  So that
 * everybody can compare reads one by one, those that say less are told what the others know. */
#ifndef HISTORY_REREADS_H
#define HISTORY_REREADS_H

#include "history/history.h"
#include "models/levels.h"

/* The history with reads that say as much as each other, for the level; numbers stay what they are.
 * Gives h if they do already, else *view, which shares all else with h. */
const struct history *rereads_settle(const struct history *h, struct level level,
                                     struct history *view);
void rereads_free(const struct history *settled, struct history *view);

#endif
