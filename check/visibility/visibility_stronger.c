/* Where reads have a choice of writers, a stronger level is often the quicker way to an OK.  Its
 * order of begins and commits says which write every read saw, and its commits are an arbitration.
 */
#include "check/visibility/visibility.h"

#include <assert.h>

#include "models/model_sets.h"

enum model_id vis_stronger(enum model_id m)
{
    return m == MODEL_PSI ? MODEL_SI : MODEL_PC;
}

static void note_reads(const struct history *h, uint32_t txn, const uint32_t *last, uint32_t *own,
                       struct check_result *r)
{
    const struct hist_txn *t = &h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (op->flags & HIST_OP_FAILED)
            continue;
        if (op->kind == HIST_WRITE)
            own[op->key] = txn + 1;
        else if (op->kind == HIST_READ && own[op->key] != txn + 1)
            vec_push(&r->sources, ((struct hist_pair){i, last[op->key]}));
    }
}

void vis_from_events(const struct history *h, const struct check_result *events,
                     struct check_result *r)
{
    uint32_t *last = mem_alloc(mem_mul(h->keys.len + 1, sizeof *last));
    uint32_t *own = mem_calloc(h->keys.len + 1, sizeof *own);
    memset(last, 0xff, (h->keys.len + 1) * sizeof *last);
    for (size_t n = 0; n < events->order.len; n++) {
        bool serial = events->order_kind == CHECK_SERIAL;
        uint32_t txn = events->order.data[n] / (serial ? 1 : 2);
        const struct hist_txn *t = &h->txns.data[txn];
        if (serial || events->order.data[n] % 2 == 0)
            note_reads(h, txn, last, own, r);
        if (!serial && events->order.data[n] % 2 == 0)
            continue;
        vec_push(&r->order, txn);
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
            if (h->ops.data[i].kind == HIST_WRITE && !(h->ops.data[i].flags & HIST_OP_FAILED))
                last[h->ops.data[i].key] = i;
    }
    r->verdict = CHECK_OK;
    r->order_kind = CHECK_ARBITRATION;
    mem_free(last);
    mem_free(own);
}

/* A serial order as one of begins and commits. */
static void spread_serial(const struct check_result *serial, struct check_result *r)
{
    vec_reserve(&r->order, 2 * serial->order.len);
    for (size_t i = 0; i < serial->order.len; i++) {
        vec_push(&r->order, 2 * serial->order.data[i]);
        vec_push(&r->order, 2 * serial->order.data[i] + 1);
    }
    r->verdict = CHECK_OK;
    r->order_kind = CHECK_EVENTS;
}

void vis_take_over(const struct history *h, struct check_result *from, struct check_result *r)
{
    enum model_id m = r->level.model;
    bool arbitration = vis_decides(m) || m == MODEL_RCS;
    assert(from->verdict == CHECK_OK && model_weaker_or_equal(m, from->level.model));
    if (arbitration && from->order_kind != CHECK_ARBITRATION) {
        vis_from_events(h, from, r);
    } else if (!arbitration && from->order_kind == CHECK_SERIAL && m != MODEL_SER) {
        spread_serial(from, r);
    } else {
        check_result_free(r);
        *r = *from;
        *from = (struct check_result){.reason = ""};
    }
}
