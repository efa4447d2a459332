/* What certify_vis*.c share: an arbitration order, indexed, and the write that every read saw.
 * Nothing here comes from the engine. */
#ifndef HISTORY_CERTIFY_VIS_H
#define HISTORY_CERTIFY_VIS_H

#include "history/certify_internal.h"

enum { VIS_INTERNAL = 1, VIS_EXTERNAL = 2, VIS_FINAL = 4 };

struct vis {
    const struct history *h;
    const struct certificate *c;
    struct arena *messages;
    bool per_read; /* reads of one row may differ */
    uint32_t *pos; /* per transaction: place in the order, from 1; 0: not in it */
    uint8_t *cls;  /* per operation */
    uint32_t *op_txn;
    uint32_t *source; /* per external read: the write, or HIST_NONE */

    /* Per key its final writes (operations) in arbitration order, and all appends. */
    uint32_t *write_start, *writes;
    uint32_t *append_start;
    int64_t *appends;
    uint32_t *append_count; /* per operation that is a final append: appends of the key up to it */
    struct hist_value *initial;
};

const char *vis_bad_read(const struct vis *v, uint32_t op, const char *why);
const char *vis_bad_txn(const struct vis *v, uint32_t txn, const char *why);

/* certify_sources.c */
const char *vis_find_sources(struct vis *v);
bool vis_list_ends_with_own(const struct vis *v, uint32_t read, uint32_t *outside);

static inline uint32_t vis_source_pos(const struct vis *v, uint32_t read)
{
    return v->source[read] == HIST_NONE ? 0 : v->pos[v->op_txn[v->source[read]]];
}

#endif
