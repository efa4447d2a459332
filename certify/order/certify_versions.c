/* Does an order of transactions or events contradict the version orders on record? */
#include "certify/order/certify_orders.h"

/* Per operation: when its transaction commits in the certificate's order, counted from 1, if it is
 * the transaction's last write of its key; else 0.  A transaction of unknown outcome that the
 * certificate leaves out wrote nothing. */
static uint32_t *commit_places(const struct history *h, const struct certificate *c)
{
    uint32_t *place = mem_calloc(h->ops.len + 1, sizeof *place);
    uint32_t *seen = mem_calloc(h->keys.len + 1, sizeof *seen); /* place of a transaction */
    for (size_t i = 0; i < c->len; i++) {
        if (c->kind == CHECK_EVENTS && !(c->order[i] & 1))
            continue;
        const struct hist_txn *t =
            &h->txns.data[c->kind == CHECK_EVENTS ? c->order[i] / 2 : c->order[i]];
        for (uint32_t j = t->first_op + t->op_count; j-- > t->first_op;) {
            const struct hist_op *op = &h->ops.data[j];
            if (!hist_is_write(op) || seen[op->key] == i + 1)
                continue;
            seen[op->key] = place[j] = (uint32_t)i + 1;
        }
    }
    mem_free(seen);
    return place;
}

/* In the order of the certificate, later versions are committed later. */
const char *certify_version_orders(const struct history *h, const struct certificate *c,
                                   struct arena *messages)
{
    if (!h->version_orders.len)
        return NULL;
    uint32_t *place = commit_places(h, c);
    const char *error = NULL;
    for (size_t i = 0; i < h->version_orders.len && !error; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        uint32_t last = 0;
        for (uint32_t j = 0; j < o->len && !error; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (!place[op])
                continue;
            if (place[op] <= last)
                error = hist_of_op(h, op, "is committed before an older version", messages);
            last = place[op];
        }
    }
    mem_free(place);
    return error;
}
