/* What certify_vis*.c share: an arbitration order, written out transaction by transaction, and the
 * write that every read saw.  Nothing here comes from the engine.
 *
 * Transactions are named by their *place* in the order, from 0; "seen" places are counted from 1, 0
 * being the initial version.  What a place reads and writes stands together, in the order, because
 * most reads see something recent: then the checks stay in the cache. */
#ifndef CERTIFY_ORDER_CERTIFY_VIS_H
#define CERTIFY_ORDER_CERTIFY_VIS_H

#include "certify/order/certify_missing_rows.h"
#include "certify/certify_aggregate.h"
#include "certify/order/certify_orders.h"

/* A final write, among those of its key in arbitration order. */
struct vis_version {
    int64_t value; /* 0 if null */
    uint32_t place, op;
};

struct vis {
    const struct history *h;
    const struct certificate *c;
    struct arena *messages;
    bool per_read; /* reads of one row may differ */
    uint32_t *pos; /* per transaction: place in the order, from 1; 0: not in it */

    /* Per place, and one more: its external reads and its final writes, each in the order of the
     * operations. */
    uint32_t *rd_start, *wr_start;
    VEC(uint32_t) rd_op, rd_key, wr_key, wr_op;
    uint32_t *rd_seen; /* per read: the place that it saw, from 1 */

    /* Per key its final writes, and all appends (NULL without lists). */
    uint32_t *version_start;
    struct vis_version *versions;
    uint32_t *append_start;
    int64_t *appends;
    uint32_t *append_count; /* per version: appends of the key up to it */
    struct hist_value *initial;
    struct aggregates aggregates;

    struct missing_rows *absent; /* rows that were not returned; or NULL */
    uint32_t *entry;             /* … per version: its entry there */
};

const char *vis_bad_read(const struct vis *v, uint32_t op, const char *why);

/* How many versions of the key are of the first `places` transactions. */
uint32_t vis_versions_within(const struct vis *v, uint32_t key, uint32_t places);

/* The entry of what is seen of a row, if that is the last of its first n versions. */
uint32_t vis_entry(const struct vis *v, uint32_t key, uint32_t n);

/* certify_rows.c: are the aggregates those of what was seen? */
const char *vis_check_aggregates(struct vis *v);

/* certify_sources.c */
const char *vis_find_sources(struct vis *v);
bool vis_list_ends_with_own(const struct vis *v, uint32_t read, uint32_t *outside);

static inline uint32_t vis_place_txn(const struct vis *v, uint32_t place)
{
    return v->c->order[place];
}

#endif
