/* Re-checking what is said of results and of expected orders; as certify.h, this knows nothing of
 * how the answers were found.  Every function returns NULL if the answer stands, else what is wrong
 * with it (owned by the arena). */
#ifndef CERTIFY_PREDICATE_CERTIFY_WHITEBOX_H
#define CERTIFY_PREDICATE_CERTIFY_WHITEBOX_H

#include "certify/certify.h"
#include "history/lower/lower.h"

/* The answer to an expected serialization order (check/order/expected_order.h). */
typedef VEC(uint32_t) expected_order;
struct expected_answer {
    const char *disagreement; /* NULL: the order explains the history */
    uint32_t txn, op;         /* where; op HIST_NONE: a read of several rows, */
    uint32_t predicate;       /* … this one */
    uint32_t newer; /* op is a write: by the version orders, this one before it is newer */
    size_t place;   /* in the order, from 1 */
    uint32_t against_session; /* a transaction that comes before an earlier one of its session */
    const char *stopped;      /* a limit was reached */
};
/* Does the order explain the history, or disagree with it where the answer says so? */
const char *certify_replay(const struct history *h, const expected_order *order,
                           const struct expected_answer *a, struct arena *messages);
/* Is the result not what the version set (or the transaction's own writes) gives? */
const char *certify_mismatch(const struct history *h, const struct lowered *d,
                             struct arena *messages);
/* Are the results of all predicate reads with version sets what the sets give? */
const char *certify_results(const struct history *h, struct arena *messages);
/* Does the order of transactions, a certificate of PL-2.99, explain the history before its
 * predicate reads were put in terms of items?  Lists are left to the other certificate. */
const char *certify_repeatable(const struct history *h, const struct certificate *c,
                               struct arena *messages);

#endif
