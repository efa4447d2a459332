/* Diagrams of partial results; see aggregate_diagram.h.  Layers are built from the start, with what
 * the rest can still add as bounds, and pruned from the end. */
#include "history/lower/aggregate_diagram.h"

#include <assert.h>
#include <stdlib.h>

#define MAX_NODES (1u << 16)
#define MAX_WORDS ((size_t)1 << 20) /* of bit sets */

/* A sum of no numbers: null, not 0.  The difference matters where 0 was read. */
#define NOTHING ((__int128)1 << 100)

/* --- steps ----------------------------------------------------------------------------------- */

static bool sums(const struct diagram *d)
{
    return (d->kind == HIST_COUNT || d->kind == HIST_SUM) && !d->result.null;
}

static __int128 sum_of(__int128 node)
{
    return node == NOTHING ? 0 : node;
}

/* One option after a partial result; false: the result cannot be reached. */
static bool step(const struct diagram *d, __int128 from, struct diagram_option o, __int128 *to)
{
    *to = from;
    if (!o.counts)
        return true;
    if (d->result.null)
        return false;
    if (sums(d)) {
        *to = sum_of(from) + o.number;
        return true;
    }
    if (d->kind == HIST_MIN ? o.number < d->result.value : o.number > d->result.value)
        return false;
    *to = from | (o.number == d->result.value);
    return true;
}

static __int128 goal(const struct diagram *d)
{
    return d->result.null ? 0 : sums(d) ? d->result.value : 1;
}

struct diagram_option diagram_value(const struct pred *p, const struct hist_predicate *q,
                                    uint32_t key, struct hist_value v)
{
    struct pred_sum s = {0};
    if (!pred_matches(p, q, key, v))
        return (struct diagram_option){0};
    pred_add(p, q, key, v, &s);
    if (q->kind == HIST_COUNT)
        return (struct diagram_option){true, 1};
    return (struct diagram_option){s.numbers > 0, s.numbers ? s.least : 0};
}

/* --- building -------------------------------------------------------------------------------- */

void diagram_start(struct diagram *d, const struct hist_predicate *q, const struct pred_sum *fixed)
{
    *d = (struct diagram){.kind = q->kind, .result = q->result, .limit = MAX_NODES};
    if (q->kind == HIST_COUNT) {
        d->start = (__int128)fixed->count;
        d->dead = q->result.null;
    } else if (q->result.null) {
        d->dead = fixed->numbers > 0;
    } else if (q->kind == HIST_SUM) {
        d->start = !fixed->numbers && !q->result.value ? NOTHING : fixed->sum;
    } else if (fixed->numbers) {
        int64_t least = q->kind == HIST_MIN ? fixed->least : fixed->greatest;
        d->dead = !step(d, 0, (struct diagram_option){true, least}, &d->start);
    }
}

void diagram_row(struct diagram *d)
{
    vec_push(&d->rows, (uint32_t)d->options.len);
}

void diagram_option(struct diagram *d, struct diagram_option o)
{
    o.number = o.counts ? o.number : 0;
    /* Versions come in runs that contribute the same. */
    if (d->options.len > vec_last(&d->rows)) {
        const struct diagram_option *last = &vec_last(&d->options);
        if (last->counts == o.counts && last->number == o.number)
            return;
    }
    vec_push(&d->options, o);
}

static int by_option(const void *a, const void *b)
{
    const struct diagram_option *x = a, *y = b;
    if (x->counts != y->counts)
        return x->counts ? 1 : -1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Each option of a row once. */
static void sort_options(struct diagram *d)
{
    size_t len = 0;
    vec_push(&d->rows, (uint32_t)d->options.len);
    for (size_t r = 0; r + 1 < d->rows.len; r++) {
        uint32_t start = d->rows.data[r], end = d->rows.data[r + 1];
        struct diagram_option *o = d->options.data;
        if (end - start > 1)
            qsort(o + start, end - start, sizeof *o, by_option);
        d->rows.data[r] = (uint32_t)len;
        for (uint32_t i = start; i < end; i++)
            if (i == start || by_option(&o[i - 1], &o[i]))
                o[len++] = o[i];
    }
    d->options.len = len;
    d->rows.data[d->rows.len - 1] = (uint32_t)len;
}

/* What rows from r on add at least and at most. */
struct bounds {
    __int128 least, most;
};

static struct bounds *find_bounds(const struct diagram *d, uint32_t rows)
{
    struct bounds *b = mem_calloc((size_t)rows + 1, sizeof *b);
    for (uint32_t r = rows; r-- > 0;) {
        __int128 least = 0, most = 0;
        for (uint32_t i = d->rows.data[r]; i < d->rows.data[r + 1]; i++) {
            __int128 n = d->options.data[i].number;
            bool first = i == d->rows.data[r];
            least = first || n < least ? n : least;
            most = first || n > most ? n : most;
        }
        b[r] = (struct bounds){b[r + 1].least + least, b[r + 1].most + most};
    }
    return b;
}

static int by_node(const void *a, const void *b)
{
    const __int128 *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The nodes from `start` on: ascending, each once. */
static void sort_layer(struct diagram *d, size_t start)
{
    size_t len = start;
    __int128 *n = d->nodes.data;
    if (d->nodes.len - start > 1)
        qsort(n + start, d->nodes.len - start, sizeof *n, by_node);
    for (size_t i = start; i < d->nodes.len; i++)
        if (i == start || n[i] != n[i - 1])
            n[len++] = n[i];
    d->nodes.len = len;
}

static bool build_layer(struct diagram *d, uint32_t row, const struct bounds *rest)
{
    size_t start = d->layers.data[row], end = d->nodes.len;
    for (size_t i = start; i < end; i++)
        for (uint32_t o = d->rows.data[row]; o < d->rows.data[row + 1]; o++) {
            __int128 to, sum;
            if (!step(d, d->nodes.data[i], d->options.data[o], &to))
                continue;
            sum = sum_of(to);
            if (sums(d) && (sum + rest->least > goal(d) || sum + rest->most < goal(d)))
                continue;
            vec_push(&d->nodes, to);
            if (d->nodes.len - end <= 4 * (size_t)d->limit)
                continue;
            sort_layer(d, end);
            if (d->nodes.len > d->limit)
                return false;
        }
    sort_layer(d, end);
    vec_push(&d->layers, (uint32_t)end);
    return d->nodes.len <= d->limit;
}

/* --- pruning --------------------------------------------------------------------------------- */

static uint32_t find_node(const struct diagram *d, uint32_t layer, __int128 value)
{
    uint32_t lo = d->layers.data[layer], hi = d->layers.data[layer + 1], end = hi;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (d->nodes.data[mid] < value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && d->nodes.data[lo] == value ? lo : HIST_NONE;
}

/* Nodes from which the goal is reached; the others go. */
static void prune(struct diagram *d, uint32_t rows)
{
    uint8_t *alive = mem_calloc(d->nodes.len + 1, 1);
    uint32_t last = find_node(d, rows, goal(d));
    if (last != HIST_NONE)
        alive[last] = 1;
    for (uint32_t r = rows; r-- > 0;)
        for (uint32_t n = d->layers.data[r]; n < d->layers.data[r + 1]; n++)
            for (uint32_t o = d->rows.data[r]; o < d->rows.data[r + 1]; o++) {
                uint32_t to = diagram_next(d, r, n, d->options.data[o]);
                if (to == HIST_NONE || !alive[to])
                    continue;
                alive[n] = 1;
                d->allowed.data[o] = 1;
            }
    uint32_t len = 0;
    for (uint32_t layer = 0; layer <= rows; layer++) {
        uint32_t start = d->layers.data[layer], end = d->layers.data[layer + 1];
        d->layers.data[layer] = len;
        for (uint32_t n = start; n < end; n++)
            if (alive[n])
                d->nodes.data[len++] = d->nodes.data[n];
    }
    d->layers.data[rows + 1] = len;
    d->nodes.len = len;
    mem_free(alive);
}

/* --- sums in a narrow range: layers as bit sets ----------------------------------------------- */

/* Every row adds at least its least number; what it adds beyond that is never negative, so sums
 * stay between 0 and what is missing.  If more than half of the range is missing, rows are seen
 * from their greatest numbers downwards. */
struct dense {
    struct diagram *d;
    uint32_t rows;
    __int128 *base; /* per row: its least (greatest) number */
    bool down;
    size_t goal, words;
    uint64_t *from, *to; /* layers: reached from the start; from where the goal is reached */
};

static size_t extra(const struct dense *x, uint32_t row, uint32_t option)
{
    __int128 n = x->d->options.data[option].number;
    return (size_t)(x->down ? x->base[row] - n : n - x->base[row]);
}

/* False: out of range, or too wide; *none says which. */
static bool dense_start(struct dense *x, bool *none)
{
    struct diagram *d = x->d;
    __int128 missing = goal(d) - d->start, span = 0;
    __int128 *most = mem_alloc(mem_mul((size_t)x->rows + 1, sizeof *most));
    for (uint32_t r = 0; r < x->rows; r++) {
        const struct diagram_option *o = d->options.data;
        uint32_t first = d->rows.data[r], end = d->rows.data[r + 1];
        for (uint32_t i = first; i < end; i++) {
            x->base[r] = i == first || o[i].number < x->base[r] ? o[i].number : x->base[r];
            most[r] = i == first || o[i].number > most[r] ? o[i].number : most[r];
        }
        *none |= first == end;
        if (*none)
            break;
        missing -= x->base[r];
        span += most[r] - x->base[r];
    }
    *none |= missing < 0 || missing > span;
    x->down = missing > span / 2;
    if (x->down && !*none) {
        memcpy(x->base, most, x->rows * sizeof *most);
        missing = span - missing;
    }
    mem_free(most);
    if (*none || missing >= (__int128)MAX_WORDS)
        return false;
    x->goal = (size_t)missing;
    x->words = x->goal / 64 + 1;
    return x->words * ((size_t)x->rows + 1) <= MAX_WORDS;
}

/* to |= from moved up by n. */
static void move_up(uint64_t *to, const uint64_t *from, size_t words, size_t n)
{
    size_t whole = n / 64, bits = n % 64;
    for (size_t i = words; i-- > whole;) {
        uint64_t w = from[i - whole] << bits;
        if (bits && i > whole)
            w |= from[i - whole - 1] >> (64 - bits);
        to[i] |= w;
    }
}

/* Word i of a set moved down by n. */
static uint64_t word_down(const uint64_t *from, size_t words, size_t i, size_t n)
{
    size_t at = i + n / 64, bits = n % 64;
    uint64_t w = at < words ? from[at] >> bits : 0;
    return bits && at + 1 < words ? w | from[at + 1] << (64 - bits) : w;
}

static void dense_run(struct dense *x)
{
    struct diagram *d = x->d;
    uint64_t beyond = x->goal % 64 == 63 ? 0 : ~(uint64_t)0 << (x->goal % 64 + 1);
    x->from[0] = 1;
    for (uint32_t r = 0; r < x->rows; r++) {
        uint64_t *next = x->from + (r + 1) * x->words;
        for (uint32_t o = d->rows.data[r]; o < d->rows.data[r + 1]; o++)
            if (extra(x, r, o) <= x->goal)
                move_up(next, x->from + r * x->words, x->words, extra(x, r, o));
        next[x->words - 1] &= ~beyond;
    }
    x->to[x->rows * x->words + x->goal / 64] = (uint64_t)1 << x->goal % 64;
    for (uint32_t r = x->rows; r-- > 0;)
        for (uint32_t o = d->rows.data[r]; o < d->rows.data[r + 1]; o++)
            for (size_t i = 0; i < x->words; i++) {
                uint64_t w = word_down(x->to + (r + 1) * x->words, x->words, i, extra(x, r, o));
                x->to[r * x->words + i] |= w;
                d->allowed.data[o] |= (w & x->from[r * x->words + i]) != 0;
            }
    for (size_t i = 0; i < x->words * ((size_t)x->rows + 1); i++)
        x->from[i] &= x->to[i];
}

/* The nodes that are left, unless they are too many. */
static void dense_nodes(struct dense *x)
{
    struct diagram *d = x->d;
    size_t count = 0, all = x->words * ((size_t)x->rows + 1);
    __int128 before = d->start;
    for (size_t i = 0; i < all; i++)
        count += (size_t)__builtin_popcountll(x->from[i]);
    d->wide = count > d->limit;
    for (uint32_t r = 0; r <= x->rows && !d->wide; r++) {
        vec_push(&d->layers, (uint32_t)d->nodes.len);
        for (size_t n = 0; n <= x->goal; n++) {
            size_t at = x->down ? x->goal - n : n;
            if (x->from[r * x->words + at / 64] >> at % 64 & 1)
                vec_push(&d->nodes, x->down ? before - (__int128)at : before + (__int128)at);
        }
        if (r < x->rows)
            before += x->base[r];
    }
    vec_push(&d->layers, (uint32_t)d->nodes.len);
}

/* False: the range is too wide. */
static bool close_dense(struct diagram *d, uint32_t rows, enum diagram_answer *answer)
{
    struct dense x = {.d = d, .rows = rows};
    bool none = false;
    x.base = mem_calloc((size_t)rows + 1, sizeof *x.base);
    bool fits = dense_start(&x, &none);
    if (fits) {
        x.from = mem_calloc(x.words * ((size_t)rows + 1), sizeof *x.from);
        x.to = mem_calloc(x.words * ((size_t)rows + 1), sizeof *x.to);
        dense_run(&x);
        none = !(x.from[0] & 1);
        if (!none)
            dense_nodes(&x);
    }
    mem_free(x.from);
    mem_free(x.to);
    mem_free(x.base);
    *answer = none ? DIAGRAM_NONE : DIAGRAM_FINE;
    return fits || none;
}

uint32_t diagram_next(const struct diagram *d, uint32_t row, uint32_t node, struct diagram_option o)
{
    __int128 to;
    return step(d, d->nodes.data[node], o, &to) ? find_node(d, row + 1, to) : HIST_NONE;
}

enum diagram_answer diagram_close(struct diagram *d)
{
    uint32_t rows = (uint32_t)d->rows.len;
    bool fits = true;
    if (d->dead)
        return DIAGRAM_NONE;
    sort_options(d);
    vec_resize(&d->allowed, d->options.len);
    if (d->allowed.len)
        memset(d->allowed.data, 0, d->allowed.len);
    enum diagram_answer answer;
    if (sums(d) && d->start != NOTHING && close_dense(d, rows, &answer))
        return answer;
    struct bounds *rest = find_bounds(d, rows);
    vec_push(&d->nodes, d->start);
    vec_push(&d->layers, 0);
    for (uint32_t r = 0; r < rows && fits; r++)
        fits = build_layer(d, r, &rest[r + 1]);
    mem_free(rest);
    if (!fits)
        return DIAGRAM_TOO_MANY;
    vec_push(&d->layers, (uint32_t)d->nodes.len);
    prune(d, rows);
    return d->nodes.len ? DIAGRAM_FINE : DIAGRAM_NONE;
}

bool diagram_allows(const struct diagram *d, uint32_t row, struct diagram_option o)
{
    o.number = o.counts ? o.number : 0;
    for (uint32_t i = d->rows.data[row]; i < d->rows.data[row + 1]; i++)
        if (!by_option(&d->options.data[i], &o))
            return d->allowed.data[i];
    return false;
}

void diagram_free(struct diagram *d)
{
    vec_free(&d->options);
    vec_free(&d->rows);
    vec_free(&d->nodes);
    vec_free(&d->layers);
    vec_free(&d->allowed);
}
