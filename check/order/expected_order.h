/* An expected serialization order: run the transactions one after the other in that order, and
 * every read must see the current state; a version set of a predicate read must be the current
 * state up to versions that match alike, and version orders on record must be kept.  (Whether the
 * order follows the sessions does not matter to the replay; it is said beside the verdict.) */
#ifndef CHECK_ORDER_EXPECTED_ORDER_H
#define CHECK_ORDER_EXPECTED_ORDER_H

#include "certify/certify_whitebox.h"

/* One transaction per line: "2.17" (or "t 2.17", as in certificates) is the eighteenth transaction
 * of the third session, "T17" the one with that number in the history; empty lines and lines that
 * begin with # do not count.  A certificate of a satisfied level will do as well; *note then says
 * how it is taken, if that is not obvious, else it is NULL.  Gives NULL, or a message with its
 * place: an order must have every committed transaction once, and no aborted one. */
const char *expected_order_read(const struct history *h, const char *path, const char *text,
                                size_t size, struct arena *messages, expected_order *out,
                                const char **note);

/* Texts are owned by the arena. */
void expected_order_run(const struct history *h, const expected_order *order,
                        struct arena *messages, struct expected_answer *out);

#endif
