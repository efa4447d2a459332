/* Rows that predicate reads without version sets did not return, for the files certify*.c: does an
 * explanation show some that match?  By the definition: what a transaction sees of every row,
 * against the predicate.  Nothing here comes from the search. */
#ifndef HISTORY_CERTIFY_ABSENT_H
#define HISTORY_CERTIFY_ABSENT_H

#include "base/map.h"
#include "history/certify.h"
#include "history/derive.h"
#include "history/predicate.h"

struct absent {
    const struct history *h; /* as it was recorded */
    derive_rows wrong;       /* found, in no order */
    /* For who looks for another explanation, if `around`: rows that would be wrong if the
     * transaction came as early or as late as its session allows. */
    bool around;
    derive_rows near;
    bool too_large; /* it cannot be told within the memory that there is */
    const struct derive_span *spans;

    /* All writes, key by key, each initial version first; first[k] is that of key k. */
    struct pred pred;
    struct pred_table table;
    uint32_t *first, *key;
    struct hist_value *value;
    uint32_t *entry;     /* per operation: that of a write */
    uint8_t *match;      /* per entry: does it match the predicate at hand? */
    uint8_t *space;      /* … if it is not kept: */
    struct intern texts; /* predicates */
    uint32_t *text;      /* per predicate read */
    VEC(uint8_t *) kept; /* per text: match, or NULL */

    uint8_t *list_key;
    uint32_t *settled, stamp; /* per key: stamp, if nothing more is to be said of it */
    uint32_t *seen; /* per key: the entry that the transaction at hand sees, but for its own */
};

/* Is it a predicate read without version set, of rows, that took effect? */
bool absent_matters(const struct hist_predicate *q);

void absent_init(struct absent *a, const struct history *h);
void absent_free(struct absent *a);
/* The predicate reads of a transaction that matter, in turn; NULL behind the last.  `a` may be
 * NULL. */
const struct hist_predicate *absent_first(const struct absent *a, uint32_t txn);
const struct hist_predicate *absent_after(const struct absent *a, const struct hist_predicate *q);
static inline uint32_t absent_index(const struct absent *a, const struct hist_predicate *q)
{
    return (uint32_t)(q - a->h->predicates.data);
}
/* The predicate read, of a transaction that sees a->seen. */
void absent_look(struct absent *a, const struct hist_predicate *q);
/* All rows that the predicate read may have returned and did not. */
void absent_all(struct absent *a, const struct hist_predicate *q, derive_rows *out);
/* The entry of the transaction's last write of a row. */
uint32_t absent_entry(const struct absent *a, uint32_t txn, uint32_t key);

/* The certificate explains the history in terms of items.  It explains all rows that were not
 * returned, too, but for those in a->wrong.  An error: it does not explain the items. */
const char *certify_absent(const struct derived *items, const struct certificate *c,
                           struct absent *a, struct arena *messages);

#endif
