/* An expected serialization order: the transactions run one after the other in that order, and
 * every read must see the current state.  The version set of a predicate read must agree with the
 * current state, except for versions that match alike; recorded version orders must be kept.  (The
 * replay does not ask whether the order follows the sessions; the report mentions it beside the
 * verdict.) */
#ifndef CHECK_ORDER_EXPECTED_ORDER_H
#define CHECK_ORDER_EXPECTED_ORDER_H

#include "certify/predicate/certify_whitebox.h"

/* Read an order, one transaction per line: "2.17" (or "t 2.17", as in certificates) is the
 * eighteenth transaction of the third session, "T17" the one with that number in the history; empty
 * lines and lines that begin with # are skipped.  A certificate of a satisfied level is accepted as
 * well; *note then says how it is understood if that is not obvious, and is NULL otherwise.
 * Returns NULL, or an error message with its place: an order must have every committed transaction
 * once, and no aborted one. */
const char *expected_order_read(const struct history *h, const char *path, const char *text,
                                size_t size, struct arena *messages, expected_order *out,
                                const char **note);

/* Texts are owned by the arena. */
void expected_order_run(const struct history *h, const expected_order *order,
                        struct arena *messages, struct expected_answer *out);

#endif
