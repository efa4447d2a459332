/* Partial results row by row; see aggregate_ways.h. */
#include "history/lower/aggregate_ways.h"

#include <stdlib.h>

#define MAX_STATES ((size_t)64 << 20)

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

struct aggregate_option aggregate_option_of(const struct pred *p, const struct hist_predicate *q,
                                            uint32_t key, struct hist_value v)
{
    struct aggregate_option o = {.source = HIST_NONE};
    struct pred_sum one = {0};
    if (!pred_matches(p, q, key, v))
        return o;
    pred_add(p, q, key, v, &one);
    o.counts = q->kind == HIST_COUNT || one.numbers;
    o.number = q->kind == HIST_COUNT ? 1 : one.least;
    return o;
}

void aggregate_ways_begin(struct aggregate_ways *w, const struct hist_predicate *q,
                          const struct pred_sum *own)
{
    *w = (struct aggregate_ways){.q = q, .own = *own};
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
