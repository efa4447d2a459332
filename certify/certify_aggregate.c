/* Aggregates, by their definition; see certify_aggregate.h. */
#include "certify/certify_aggregate.h"

bool aggregate_counts(const struct hist_predicate *q)
{
    return q->any && !q->failed;
}

void aggregates_init(struct aggregates *a, const struct history *h)
{
    *a = (struct aggregates){.h = h};
    for (size_t i = 0; i < h->predicates.len; i++)
        a->any |= aggregate_counts(&h->predicates.data[i]);
    if (!a->any)
        return;
    pred_init(&a->pred, h);
    a->initial = hist_initial_values(h);
    a->row = mem_calloc(h->keys.len + 1, 1);
    a->own = mem_calloc(h->keys.len + 1, sizeof *a->own);
    a->own_at = mem_calloc(h->keys.len + 1, sizeof *a->own_at);
    memset(a->row, 1, h->keys.len - h->lowered.keys);
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind >= HIST_APPEND)
            a->row[h->ops.data[i].key] = 0;
}

void aggregates_free(struct aggregates *a)
{
    if (!a->any)
        return;
    pred_free(&a->pred);
    mem_free(a->initial);
    mem_free(a->row);
    mem_free(a->own);
    mem_free(a->own_at);
}

static void note_own(struct aggregates *a, const struct hist_predicate *q)
{
    a->stamp++;
    for (uint32_t i = a->h->txns.data[q->txn].first_op; i < q->first_op; i++) {
        const struct hist_op *op = &a->h->ops.data[i];
        if (!hist_is_row_write(op))
            continue;
        a->own_at[op->key] = a->stamp;
        a->own[op->key] = i;
    }
}

bool aggregate_is_own(const struct aggregates *a, uint32_t key)
{
    return a->own_at[key] == a->stamp;
}

static bool is_row(const struct aggregates *a, uint32_t key)
{
    return key < a->h->keys.len - a->h->lowered.keys;
}

/* Does the row match at first?  (key: the row, or whether it has turned) */
static bool matches_first(const struct aggregates *a, const struct hist_predicate *q, uint32_t key)
{
    const struct history *h = a->h;
    uint32_t row =
        is_row(a, key) ? key : h->lowered.rows.data[key - (h->keys.len - h->lowered.keys)];
    return pred_matches(&a->pred, q, row, a->initial[row]);
}

uint32_t aggregate_turned(const struct aggregates *a, const struct hist_predicate *q, uint32_t op)
{
    const struct hist_op *ops = a->h->ops.data;
    bool behind = q->old && is_row(a, ops[op].key) && op + 1 < q->first_op + q->rows &&
                  !is_row(a, ops[op + 1].key);
    return behind ? op + 1 : HIST_NONE;
}

bool aggregate_is_free(const struct aggregates *a, const struct hist_predicate *q, uint32_t op)
{
    uint32_t key = a->h->ops.data[op].key;
    return q->old && (!is_row(a, key) || !matches_first(a, q, key));
}

static bool old_stands(struct aggregates *a, const struct hist_predicate *q, aggregate_seen *seen,
                       void *arg);

bool aggregate_stands(struct aggregates *a, const struct hist_predicate *q, aggregate_seen *seen,
                      void *arg)
{
    struct pred_sum sum = {0};
    if (q->old)
        return old_stands(a, q, seen, arg);
    note_own(a, q);
    for (uint32_t k = 0; k < a->h->keys.len; k++) {
        if (!a->row[k])
            continue;
        struct hist_value v =
            aggregate_is_own(a, k) ? hist_op_value(&a->h->ops.data[a->own[k]]) : seen(arg, k);
        if (pred_matches(&a->pred, q, k, v))
            pred_add(&a->pred, q, k, v, &sum);
    }
    return pred_agrees(q, &sum);
}

/* --- all ways to get a result ---------------------------------------------------------------- */

void aggregate_ways_start(struct aggregates *a, const struct hist_predicate *q,
                          struct aggregate_ways *w)
{
    struct pred_sum own = {0};
    note_own(a, q);
    for (uint32_t k = 0; k < a->h->keys.len; k++) {
        if (!a->row[k] || !aggregate_is_own(a, k))
            continue;
        struct hist_value v = hist_op_value(&a->h->ops.data[a->own[k]]);
        if (pred_matches(&a->pred, q, k, v))
            pred_add(&a->pred, q, k, v, &own);
    }
    aggregate_ways_begin(w, q, &own);
}

static struct aggregate_option option_of(const struct aggregates *a, const struct hist_predicate *q,
                                         uint32_t key, struct hist_value v)
{
    if (!is_row(a, key))
        return (struct aggregate_option){.source = HIST_NONE,
                                         .counts = matches_first(a, q, key) ==
                                                   hist_value_eq(v, a->initial[key]),
                                         .number = 1};
    return aggregate_option_of(&a->pred, q, key, v);
}

void aggregate_ways_row(struct aggregates *a, struct aggregate_ways *w, uint32_t key,
                        const hist_facts_ops *sources)
{
    vec_push(&w->rows, (uint32_t)w->options.len);
    for (size_t i = 0; i < sources->len; i++) {
        uint32_t s = sources->data[i];
        struct aggregate_option o = option_of(
            a, w->q, key, s == HIST_NONE ? a->initial[key] : hist_op_value(&a->h->ops.data[s]));
        o.source = s;
        vec_push(&w->options, o);
    }
}

void aggregate_ways_besides(struct aggregates *a, struct aggregate_ways *w, uint32_t key)
{
    struct aggregate_option o = {.source = HIST_NONE, .besides = true, .number = 1};
    o.counts = !is_row(a, key) && matches_first(a, w->q, key);
    vec_push(&w->options, o);
}

/* --- old versions ---------------------------------------------------------------------------- */

static bool old_stands(struct aggregates *a, const struct hist_predicate *q, aggregate_seen *seen,
                       void *arg)
{
    struct aggregate_ways w;
    aggregate_ways_start(a, q, &w);
    w.widest = (size_t)1 << 22;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        uint32_t key = a->h->ops.data[i].key, turned = aggregate_turned(a, q, i);
        uint32_t other = turned == HIST_NONE ? key : a->h->ops.data[turned].key;
        vec_push(&w.rows, (uint32_t)w.options.len);
        vec_push(&w.options, option_of(a, q, key, seen(arg, key)));
        if (aggregate_is_free(a, q, i) ||
            (turned != HIST_NONE && !hist_value_eq(seen(arg, other), a->initial[other])))
            aggregate_ways_besides(a, &w, key);
        i = turned == HIST_NONE ? i : turned;
    }
    aggregate_ways_close(&w);
    bool stands = !w.too_many && aggregate_ways_any(&w);
    aggregate_ways_free(&w);
    return stands;
}
