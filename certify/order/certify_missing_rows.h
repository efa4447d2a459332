/* Rows that predicate reads without version sets did not return, for the files certify*.c: does an
 * explanation show some that match?  By the definition: what a transaction sees of every row,
 * against the predicate.  Nothing here comes from the search. */
#ifndef CERTIFY_ORDER_CERTIFY_MISSING_ROWS_H
#define CERTIFY_ORDER_CERTIFY_MISSING_ROWS_H

#include "base/map.h"
#include "certify/certify.h"
#include "history/lower/lower.h"
#include "history/predicate.h"

struct missing_rows {
    const struct history *h; /* as it was recorded */
    lower_rows wrong;        /* found, in no order */
    bool too_large;          /* it cannot be told within the memory that there is */
    const struct lower_span *spans;

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
bool missing_rows_matters(const struct hist_predicate *q);

/* Are there so many missing rows that not all of them should be put in terms of items? */
bool missing_rows_many(const struct history *h);

void missing_rows_init(struct missing_rows *a, const struct history *h);
void missing_rows_free(struct missing_rows *a);
/* The predicate reads of a transaction that matter, in turn; NULL behind the last.  `a` may be
 * NULL. */
const struct hist_predicate *missing_rows_first(const struct missing_rows *a, uint32_t txn);
const struct hist_predicate *missing_rows_after(const struct missing_rows *a,
                                                const struct hist_predicate *q);
static inline uint32_t missing_rows_index(const struct missing_rows *a,
                                          const struct hist_predicate *q)
{
    return (uint32_t)(q - a->h->predicates.data);
}
/* The predicate read, of a transaction that sees a->seen. */
void missing_rows_look(struct missing_rows *a, const struct hist_predicate *q);
/* All rows that the predicate read may have returned and did not. */
void missing_rows_all(struct missing_rows *a, const struct hist_predicate *q, lower_rows *out);
/* What the transaction wrote is what is seen from now on. */
void missing_rows_commit(struct missing_rows *a, uint32_t txn);
/* The entry of the transaction's last write of a row. */
uint32_t missing_rows_entry(const struct missing_rows *a, uint32_t txn, uint32_t key);

/* The certificate explains the history in terms of items.  It explains all rows that were not
 * returned, too, but for those in a->wrong.  An error: it does not explain the items. */
const char *certify_missing_rows(const struct lowered *items, const struct certificate *c,
                                 struct missing_rows *a, struct arena *messages);

#endif
