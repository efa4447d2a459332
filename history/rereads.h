/* Reads of a row that its transaction has read or written before.
 *
 * A read may say which version it saw: by the id of the write, or by saying that it was the initial
 * one.  Another read of the same row may not say so, although it must have seen the same version:
 * at every level after an own write, and, if a transaction has one snapshot, before or after
 * another read.  To make reads comparable one by one, those that say less are given what the others
 * say. */
#ifndef HISTORY_REREADS_H
#define HISTORY_REREADS_H

#include "history/history.h"
#include "models/levels.h"

/* The history with this information added, for the level; all indices stay the same.  Returns h if
 * nothing had to be added, else *view, which shares everything else with h. */
const struct history *rereads_settle(const struct history *h, struct level level,
                                     struct history *view);
void rereads_free(const struct history *settled, struct history *view);

#endif
