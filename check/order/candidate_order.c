/* Orders that the history itself suggests, tried by the code that checks certificates; see
 * candidate_order.h.  A serial order also serves as an order of begins and commits and, with the
 * writes that are current at each read as sources, as an arbitration. */
#include "check/order/candidate_order.h"

#include <stdlib.h>

#include "certify/certify.h"
#include "check/visibility/visibility.h"

struct moment {
    int64_t time;
    uint32_t txn;
};

static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->txn < y->txn ? -1 : x->txn > y->txn;
}

/* Those that committed, and perhaps those of unknown outcome. */
static void put_order(const struct history *h, bool by_end, bool unknown, bool events,
                      struct check_result *r)
{
    VEC(struct moment) all = {0};
    for (uint32_t t = 0; t < h->txns.len; t++) {
        uint8_t status = h->txns.data[t].status;
        if (status == HIST_COMMITTED || (unknown && status == HIST_UNKNOWN))
            vec_push(&all, ((struct moment){by_end ? h->times[t].commit_answered : 0, t}));
    }
    if (by_end && all.len)
        qsort(all.data, all.len, sizeof *all.data, by_time);
    vec_clear(&r->order);
    for (size_t i = 0; i < all.len; i++) {
        if (events)
            vec_push(&r->order, 2 * all.data[i].txn);
        vec_push(&r->order, events ? 2 * all.data[i].txn + 1 : all.data[i].txn);
    }
    vec_free(&all);
}

static bool explains(const struct history *h, const struct check_options *o,
                     const struct check_result *r)
{
    struct arena messages = {0};
    struct certificate c = certificate_of_order(r->level, o->clock_drift, r);
    bool fine = !certify_order(h, &c, &messages);
    arena_free(&messages);
    return fine;
}

/* As an order of the kind that the level needs. */
static bool try_order(const struct history *h, const struct check_options *o, bool by_end,
                      bool unknown, struct check_result *r)
{
    enum model_id m = o->level.model;
    struct check_result events = {.level = o->level, .reason = "", .cycle = HIST_NONE};
    bool arbitration = vis_decides(m) || m == MODEL_RCS;
    events.order_kind = m == MODEL_SER ? CHECK_SERIAL : CHECK_EVENTS;
    put_order(h, by_end, unknown, m != MODEL_SER, &events);
    vec_clear(&r->order);
    vec_clear(&r->sources);
    if (arbitration) {
        vis_from_events(h, &events, r);
    } else {
        r->order_kind = events.order_kind;
        for (size_t i = 0; i < events.order.len; i++)
            vec_push(&r->order, events.order.data[i]);
    }
    check_result_free(&events);
    r->verdict = explains(h, o, r) ? CHECK_OK : CHECK_UNKNOWN;
    return r->verdict == CHECK_OK;
}

bool candidate_order(const struct history *h, const struct check_options *o, struct check_result *r)
{
    bool any = false, unknown = false;
    for (size_t i = 0; i < h->predicates.len && !any; i++)
        any = h->predicates.data[i].any;
    if (!any || o->always_solve || o->no_guess)
        return false;
    for (size_t t = 0; t < h->txns.len && !unknown; t++)
        unknown = h->txns.data[t].status == HIST_UNKNOWN;
    for (int by_end = 0; by_end <= (h->times != NULL); by_end++)
        for (int with = 0; with <= unknown; with++)
            if (try_order(h, o, by_end, with, r))
                return true;
    vec_clear(&r->order);
    vec_clear(&r->sources);
    return false;
}
