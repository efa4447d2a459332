/* Re-checking what is said of results and of expected orders; as certify.h, this knows nothing of
 * how the answers were found.  Every function returns NULL if the answer stands, else what is wrong
 * with it (owned by the arena). */
#ifndef HISTORY_CERTIFY_WHITEBOX_H
#define HISTORY_CERTIFY_WHITEBOX_H

#include "history/certify.h"
#include "history/derive.h"
#include "history/replay.h"

/* Does the order explain the history, or disagree with it where the answer says so? */
const char *certify_replay(const struct history *h, const replay_order *order,
                           const struct replay_answer *a, struct arena *messages);
/* Is the result not what the version set (or the transaction's own writes) gives? */
const char *certify_mismatch(const struct history *h, const struct derived *d,
                             struct arena *messages);
/* Are the results of all predicate reads with version sets what the sets give? */
const char *certify_results(const struct history *h, struct arena *messages);
/* Does the order of transactions, a certificate of PL-2.99, explain the history before its
 * predicate reads were put in terms of items?  Lists are left to the other certificate. */
const char *certify_repeatable(const struct history *h, const struct certificate *c,
                               struct arena *messages);

#endif
