/* Aggregates over rows that were each seen in a version of their own (certify_vis.h): the result is
 * that of these versions and the transaction's own writes, and no other row could have
 * contributed anything. */
#include "base/strbuf.h"
#include "certify/order/certify_vis.h"

#define SEVERAL UINT32_MAX

struct rows {
    struct vis *v;
    uint32_t *at, stamp; /* per key: stamp of the aggregate that reads it */
    uint32_t *read;      /* … its read */
    struct intern classes;
    /* Per class and key: 0: no version contributes something; 1 + the place that wrote the only one
     * that does; SEVERAL. */
    VEC(uint32_t *) live;
};

static struct hist_value seen(void *arg, uint32_t key)
{
    const struct rows *r = arg;
    const struct vis *v = r->v;
    if (r->at[key] != r->stamp)
        return hist_null(); /* no version that it could see contributes anything */
    uint32_t place = v->rd_seen[r->read[key]];
    if (!place)
        return v->initial[key];
    uint32_t n = vis_versions_within(v, key, place);
    return hist_op_value(&v->h->ops.data[v->versions[v->version_start[key] + n - 1].op]);
}

static bool contributes(const struct rows *r, const struct hist_predicate *q, uint32_t key,
                        struct hist_value x)
{
    const struct pred *p = &r->v->aggregates.pred;
    struct pred_sum one = {0};
    if (!pred_matches(p, q, key, x))
        return false;
    pred_add(p, q, key, x, &one);
    return q->kind == HIST_COUNT || one.numbers;
}

static const uint32_t *live_rows(struct rows *r, const struct hist_predicate *q)
{
    const struct vis *v = r->v;
    struct strbuf b = {0};
    pred_aggregate_identity(v->h, q, &b);
    uint32_t class = intern_add(&r->classes, sb_str(&b), b.len);
    sb_free(&b);
    if (class < r->live.len)
        return r->live.data[class];
    uint32_t *live = mem_calloc(v->h->keys.len + 1, sizeof *live);
    for (uint32_t k = 0; k < v->h->keys.len; k++) {
        if (!v->aggregates.row[k])
            continue;
        live[k] = contributes(r, q, k, v->initial[k]) ? SEVERAL : 0;
        for (uint32_t i = v->version_start[k]; i < v->version_start[k + 1]; i++)
            if (contributes(r, q, k, hist_op_value(&v->h->ops.data[v->versions[i].op])))
                live[k] = live[k] ? SEVERAL : v->versions[i].place + 1;
    }
    vec_push(&r->live, live);
    return live;
}

static bool stands(struct rows *r, uint32_t place, const struct hist_predicate *q)
{
    struct vis *v = r->v;
    r->stamp++;
    for (uint32_t i = v->rd_start[place]; i < v->rd_start[place + 1]; i++) {
        uint32_t op = v->rd_op.data[i];
        if (op < q->first_op || op >= q->first_op + q->rows)
            continue;
        r->at[v->rd_key.data[i]] = r->stamp;
        r->read[v->rd_key.data[i]] = i;
    }
    if (!aggregate_stands(&v->aggregates, q, seen, r))
        return false;
    const uint32_t *live = live_rows(r, q);
    for (uint32_t k = 0; k < v->h->keys.len; k++)
        if (live[k] && live[k] != place + 1 && r->at[k] != r->stamp &&
            !aggregate_is_own(&v->aggregates, k))
            return false;
    return true;
}

const char *vis_check_aggregates(struct vis *v)
{
    const struct history *h = v->h;
    struct rows r = {.v = v};
    const char *error = NULL;
    r.at = mem_calloc(h->keys.len + 1, sizeof *r.at);
    r.read = mem_calloc(h->keys.len + 1, sizeof *r.read);
    for (uint32_t i = 0; i < h->predicates.len && !error; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        uint32_t place = v->pos[q->txn];
        if (aggregate_counts(q) && place && !stands(&r, place - 1, q))
            error = vis_bad_read(v, q->first_op,
                                 "is part of an aggregate over what was seen that gives something "
                                 "else");
    }
    for (size_t i = 0; i < r.live.len; i++)
        mem_free(r.live.data[i]);
    vec_free(&r.live);
    intern_free(&r.classes);
    mem_free(r.at);
    mem_free(r.read);
    return error;
}
