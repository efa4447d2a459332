/* Aggregates, by their definition; see certify_aggregate.h. */
#include "certify/certify_aggregate.h"

#include <stdlib.h>

#define MAX_STATES ((size_t)64 << 20)

static bool is_write(const struct hist_op *op)
{
    return op->kind == HIST_WRITE && !(op->flags & HIST_OP_FAILED);
}

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
        if (!is_write(op))
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

static bool is_sum(const struct hist_predicate *q)
{
    return q->kind == HIST_COUNT || q->kind == HIST_SUM;
}

/* The sum of no numbers is null: where 0 was read, this is another state. */
#define NO_NUMBERS ((__int128)1 << 100)

static __int128 sum_of(__int128 state)
{
    return state == NO_NUMBERS ? 0 : state;
}

/* The state behind an option: a sum, or whether the least (greatest) number was there. */
static bool add(const struct hist_predicate *q, __int128 state, int64_t number, __int128 *to)
{
    if (q->result.null)
        return false;
    *to = is_sum(q) ? sum_of(state) + number : state;
    if (is_sum(q))
        return true;
    if (number == q->result.value)
        *to = 1;
    return q->kind == HIST_MIN ? number >= q->result.value : number <= q->result.value;
}

void aggregate_ways_start(struct aggregates *a, const struct hist_predicate *q,
                          struct aggregate_ways *w)
{
    *w = (struct aggregate_ways){.q = q};
    note_own(a, q);
    for (uint32_t k = 0; k < a->h->keys.len; k++) {
        if (!a->row[k] || !aggregate_is_own(a, k))
            continue;
        struct hist_value v = hist_op_value(&a->h->ops.data[a->own[k]]);
        if (pred_matches(&a->pred, q, k, v))
            pred_add(&a->pred, q, k, v, &w->own);
    }
}

static struct aggregate_option option_of(const struct aggregates *a, const struct hist_predicate *q,
                                         uint32_t key, struct hist_value v)
{
    struct aggregate_option o = {.source = HIST_NONE};
    struct pred_sum one = {0};
    if (!is_row(a, key)) {
        o.counts = matches_first(a, q, key) == hist_value_eq(v, a->initial[key]);
        o.number = 1;
        return o;
    }
    if (!pred_matches(&a->pred, q, key, v))
        return o;
    pred_add(&a->pred, q, key, v, &one);
    o.counts = q->kind == HIST_COUNT || one.numbers;
    o.number = q->kind == HIST_COUNT ? 1 : one.least;
    return o;
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

static bool start_state(const struct aggregate_ways *w, __int128 *state)
{
    const struct hist_predicate *q = w->q;
    if (q->kind == HIST_COUNT) {
        *state = (__int128)w->own.count;
        return !q->result.null;
    }
    *state = q->kind == HIST_SUM && !q->result.null ? w->own.sum : 0;
    if (q->kind == HIST_SUM && !q->result.null && !q->result.value && !w->own.numbers)
        *state = NO_NUMBERS;
    if (q->result.null || q->kind == HIST_SUM)
        return !q->result.null || !w->own.numbers;
    return !w->own.numbers ||
           add(q, 0, q->kind == HIST_MIN ? w->own.least : w->own.greatest, state);
}

static int by_state(const void *a, const void *b)
{
    const __int128 *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void close_layer(struct aggregate_ways *w, size_t start)
{
    size_t len = start;
    __int128 *s = w->states.data;
    if (w->states.len - start > 1)
        qsort(s + start, w->states.len - start, sizeof *s, by_state);
    for (size_t i = start; i < w->states.len; i++)
        if (i == start || s[i] != s[i - 1])
            s[len++] = s[i];
    w->states.len = len;
}

/* The rows from `row` on can still make the difference? */
static bool in_reach(const struct aggregate_ways *w, const __int128 *least, const __int128 *most,
                     size_t row, __int128 state)
{
    if (w->q->result.null || !is_sum(w->q))
        return row + 1 < w->rows.len || w->q->result.null || state == 1;
    __int128 missing = w->q->result.value - sum_of(state);
    if (state == NO_NUMBERS && row + 1 >= w->rows.len)
        return false;
    return missing >= least[row] && missing <= most[row];
}

/* Per row, what it and the rows behind it add at least and at most. */
static void find_reach(const struct aggregate_ways *w, __int128 *least, __int128 *most)
{
    for (size_t r = w->rows.len - 1; r-- > 0;) {
        __int128 low = 0, high = 0;
        for (uint32_t i = w->rows.data[r]; i < w->rows.data[r + 1]; i++) {
            __int128 n = w->options.data[i].counts ? w->options.data[i].number : 0;
            bool first = i == w->rows.data[r];
            low = first || n < low ? n : low;
            high = first || n > high ? n : high;
        }
        least[r] = least[r + 1] + low;
        most[r] = most[r + 1] + high;
    }
}

void aggregate_ways_close(struct aggregate_ways *w)
{
    __int128 state;
    size_t rows = w->rows.len;
    vec_push(&w->rows, (uint32_t)w->options.len);
    __int128 *least = mem_calloc(rows + 1, sizeof *least),
             *most = mem_calloc(rows + 1, sizeof *most);
    find_reach(w, least, most);
    vec_push(&w->layers, 0);
    if (start_state(w, &state) && in_reach(w, least, most, 0, state))
        vec_push(&w->states, state);
    for (size_t r = 0; r < rows && !w->too_many; r++) {
        size_t start = w->layers.data[r], end = w->states.len;
        for (size_t i = start; i < end; i++)
            for (uint32_t o = w->rows.data[r]; o < w->rows.data[r + 1]; o++) {
                const struct aggregate_option *x = &w->options.data[o];
                __int128 to = w->states.data[i];
                if ((!x->counts || add(w->q, w->states.data[i], x->number, &to)) &&
                    in_reach(w, least, most, r + 1, to) &&
                    (w->states.len == end || vec_last(&w->states) != to))
                    vec_push(&w->states, to);
            }
        close_layer(w, end);
        vec_push(&w->layers, (uint32_t)end);
        w->too_many = w->states.len > MAX_STATES || (w->widest && w->states.len - end > w->widest);
    }
    vec_push(&w->layers, (uint32_t)w->states.len);
    mem_free(least);
    mem_free(most);
}

void aggregate_ways_free(struct aggregate_ways *w)
{
    vec_free(&w->options);
    vec_free(&w->rows);
    vec_free(&w->states);
    vec_free(&w->layers);
}

bool aggregate_ways_any(const struct aggregate_ways *w)
{
    return w->too_many || w->layers.data[w->layers.len - 1] > w->layers.data[w->layers.len - 2];
}

uint32_t aggregate_ways_next(const struct aggregate_ways *w, uint32_t row, uint32_t state,
                             const struct aggregate_option *o)
{
    __int128 to = w->states.data[state];
    if (o->counts && !add(w->q, w->states.data[state], o->number, &to))
        return HIST_NONE;
    const __int128 *first = w->states.data + w->layers.data[row + 1];
    size_t n = w->layers.data[row + 2] - w->layers.data[row + 1];
    const __int128 *found = n ? bsearch(&to, first, n, sizeof to, by_state) : NULL;
    return found ? (uint32_t)(found - w->states.data) : HIST_NONE;
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
