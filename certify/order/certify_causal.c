/* CC and PSI for certify_vis.c: visibility as vector clocks over chains of transactions, each
 * visible to the next.
 *
 * A read is checked by going back through the versions of its row from the reader's place: none of
 * those that come before the one that it saw may be visible.  That is mostly a step or two; after
 * too many, the versions of the row are looked up chain by chain instead.
 *
 * A clock is kept until nobody will ask for it (clock_rows.h).  The clocks are made for as many
 * chains at a time as fit into a fixed amount of memory, since one chain's visibility has nothing
 * to do with another's. */
#include "certify/order/certify_snapshot.h"
#include "base/clock_rows.h"

#define STEPS 64
#define CLOCK_BYTES ((size_t)1 << 30)
#define ABSENT_BYTES ((size_t)1 << 30)

struct spot {
    uint32_t chain, at; /* `at` from 1 */
};

struct causal {
    struct vis *v;
    uint32_t n, chains; /* transactions of the order */
    struct spot *spot;  /* per place */
    uint32_t *tail;     /* per chain: its last place so far, or HIST_NONE */
    uint32_t *now;      /* per key: how many versions are of places before the present one */

    /* The clocks of the chains low … low + rows.width - 1: of each how many are visible or itself.
     */
    uint32_t low;
    struct clock_rows rows; /* per place */

    /* Versions (indices) of every key by chain, in chain order, and where each chain's start; made
     * when first needed. */
    uint32_t *writer, *group_start;
    VEC(uint32_t) group;

    /* Rows that were not returned: for every predicate read and key, how many of its versions there
     * are up to the last visible one of the chains so far. */
    uint32_t *best;
};

static uint32_t *array(size_t n)
{
    return mem_calloc(n + 2, sizeof(uint32_t));
}

static bool in_block(const struct causal *c, uint32_t chain)
{
    return chain - c->low < c->rows.width;
}

/* --- chains ---------------------------------------------------------------------------------- */

/* By session; without session order a transaction continues the chain of one that it read from. */
static uint32_t find_chain(struct causal *c, uint32_t place)
{
    const struct vis *v = c->v;
    if (v->c->level.session_order)
        return v->h->txns.data[vis_place_txn(v, place)].session;
    for (uint32_t r = v->rd_start[place]; r < v->rd_start[place + 1]; r++) {
        uint32_t from = v->rd_seen[r];
        if (from && c->tail[c->spot[from - 1].chain] == from - 1)
            return c->spot[from - 1].chain;
    }
    return c->chains++;
}

static void make_chains(struct causal *c)
{
    uint32_t *length = array(c->n + c->v->h->session_count);
    c->chains = c->v->c->level.session_order ? c->v->h->session_count : 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t s = find_chain(c, i);
        c->spot[i] = (struct spot){s, ++length[s]};
        c->tail[s] = i;
    }
    mem_free(length);
}

/* --- clocks ---------------------------------------------------------------------------------- */

/* Whatever is visible already brings nothing new. */
static void join(struct causal *c, uint32_t *own, uint32_t from)
{
    struct spot s = c->spot[from];
    if (!in_block(c, s.chain) || own[s.chain - c->low] < s.at)
        rows_join(own, rows_get(&c->rows, from), c->rows.width);
    rows_asked(&c->rows, from);
}

/* Its chain; what the transaction saw; for PSI whoever wrote before it what it writes. */
static uint32_t *run_clock(struct causal *c, uint32_t place)
{
    const struct vis *v = c->v;
    struct spot s = c->spot[place];
    uint32_t before = c->tail[s.chain];
    uint32_t *own =
        before == HIST_NONE ? rows_new(&c->rows, place) : rows_after(&c->rows, place, before);
    for (uint32_t r = v->rd_start[place]; r < v->rd_start[place + 1]; r++)
        if (v->rd_seen[r])
            join(c, own, v->rd_seen[r] - 1);
    for (uint32_t i = v->wr_start[place]; i < v->wr_start[place + 1]; i++) {
        uint32_t key = v->wr_key.data[i], last = v->version_start[key] + c->now[key];
        if (c->now[key] && v->c->level.model == MODEL_PSI)
            join(c, own, v->versions[last - 1].place);
    }
    if (in_block(c, s.chain))
        own[s.chain - c->low] = s.at;
    c->tail[s.chain] = place;
    return own;
}

/* The next of the chain asks for a clock, readers do, and for PSI who overwrites. */
static void note_needs(struct causal *c)
{
    const struct vis *v = c->v;
    memset(c->tail, 0xff, ((size_t)c->chains + 1) * sizeof *c->tail);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t *tail = &c->tail[c->spot[i].chain];
        if (*tail != HIST_NONE)
            rows_need(&c->rows, *tail);
        *tail = i;
        for (uint32_t r = v->rd_start[i]; r < v->rd_start[i + 1]; r++)
            if (v->rd_seen[r])
                rows_need(&c->rows, v->rd_seen[r] - 1);
        for (uint32_t w = v->wr_start[i]; w < v->wr_start[i + 1]; w++)
            if (v->c->level.model == MODEL_PSI)
                rows_need(&c->rows, i);
    }
}

static bool visible(const struct causal *c, const uint32_t *clock, uint32_t place)
{
    struct spot s = c->spot[place];
    return in_block(c, s.chain) && clock[s.chain - c->low] >= s.at;
}

/* --- reads ----------------------------------------------------------------------------------- */

/* Counting sort of the places by chain, then of their versions by key. */
static void index_writers(struct causal *c)
{
    const struct vis *v = c->v;
    size_t keys = v->h->keys.len;
    uint32_t *start = array(c->chains + 1), *sorted = array(c->n), *next = array(keys);
    for (uint32_t i = 0; i < c->n; i++)
        start[c->spot[i].chain + 1]++;
    for (uint32_t s = 0; s < c->chains; s++)
        start[s + 1] += start[s];
    for (uint32_t i = 0; i < c->n; i++)
        sorted[start[c->spot[i].chain]++] = i;
    c->writer = array(v->wr_op.len);
    for (uint32_t j = 0; j < c->n; j++)
        for (uint32_t i = v->wr_start[sorted[j]]; i < v->wr_start[sorted[j] + 1]; i++) {
            uint32_t k = v->wr_key.data[i];
            c->writer[v->version_start[k] + next[k]++] = sorted[j];
        }
    c->group_start = array(keys);
    for (uint32_t k = 0; k < keys; k++) {
        c->group_start[k] = (uint32_t)c->group.len;
        for (uint32_t i = v->version_start[k]; i < v->version_start[k + 1]; i++)
            if (i == v->version_start[k] ||
                c->spot[c->writer[i]].chain != c->spot[c->writer[i - 1]].chain)
                vec_push(&c->group, i);
    }
    c->group_start[keys] = (uint32_t)c->group.len;
    vec_push(&c->group, v->version_start[keys]);
    mem_free(start);
    mem_free(sorted);
    mem_free(next);
}

/* The last place (from 1) before `place` of a visible writer of the key, or 0. */
static uint32_t last_visible(struct causal *c, const uint32_t *clock, uint32_t key, uint32_t place)
{
    uint32_t best = 0;
    if (!c->writer)
        index_writers(c);
    for (uint32_t g = c->group_start[key]; g < c->group_start[key + 1]; g++) {
        uint32_t first = c->group.data[g], lo = first, hi = c->group.data[g + 1];
        uint32_t chain = c->spot[c->writer[first]].chain;
        if (!in_block(c, chain))
            continue;
        uint32_t seen = clock[chain - c->low];
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (c->spot[c->writer[mid]].at <= seen)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo > first && c->writer[lo - 1] == place)
            lo--;
        if (lo > first && c->writer[lo - 1] + 1 > best)
            best = c->writer[lo - 1] + 1;
    }
    return best;
}

/* Is no visible writer of the key later than what the read saw? */
static bool read_stands(struct causal *c, const uint32_t *clock, uint32_t r, uint32_t place)
{
    const struct vis *v = c->v;
    uint32_t key = v->rd_key.data[r], seen = v->rd_seen[r];
    uint32_t first = v->version_start[key], at = first + c->now[key];
    for (uint32_t n = 0; n < STEPS + 8 * c->chains; n++) {
        if (at == first || v->versions[at - 1].place + 1 == seen)
            return true;
        if (visible(c, clock, v->versions[--at].place))
            return false;
    }
    return last_visible(c, clock, key, place) <= seen;
}

static const char *check_reads(struct causal *c, const uint32_t *clock, uint32_t place)
{
    const struct vis *v = c->v;
    for (uint32_t r = v->rd_start[place]; r < v->rd_start[place + 1]; r++)
        if (!read_stands(c, clock, r, place))
            return vis_bad_read(v, v->rd_op.data[r], "misses a visible write");
    return NULL;
}

/* --- rows that were not returned ------------------------------------------------------------- */

/* How many versions of the key there are up to the last one that is visible. */
static uint32_t visible_versions(struct causal *c, const uint32_t *clock, uint32_t key,
                                 uint32_t place)
{
    const struct vis *v = c->v;
    uint32_t first = v->version_start[key], at = first + c->now[key];
    for (uint32_t n = 0; n < STEPS + 8 * c->chains; n++) {
        if (at == first || visible(c, clock, v->versions[at - 1].place))
            return at - first;
        at--;
    }
    return vis_versions_within(v, key, last_visible(c, clock, key, place));
}

static void note_absent(struct causal *c, const uint32_t *clock, uint32_t place)
{
    const struct missing_rows *a = c->v->absent;
    const struct hist_predicate *q = missing_rows_first(a, vis_place_txn(c->v, place));
    for (; q; q = missing_rows_after(a, q)) {
        uint32_t *best = c->best + missing_rows_index(a, q) * a->h->keys.len;
        for (uint32_t k = 0; k < a->h->keys.len; k++) {
            uint32_t n = visible_versions(c, clock, k, place);
            best[k] = n > best[k] ? n : best[k];
        }
    }
}

static void look_at_absent(struct causal *c)
{
    struct missing_rows *a = c->v->absent;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct hist_predicate *q = missing_rows_first(a, vis_place_txn(c->v, i));
        for (; q; q = missing_rows_after(a, q)) {
            const uint32_t *best = c->best + missing_rows_index(a, q) * a->h->keys.len;
            for (uint32_t k = 0; k < a->h->keys.len; k++)
                a->seen[k] = vis_entry(c->v, k, best[k]);
            missing_rows_look(a, q);
        }
    }
}

static void start_absent(struct causal *c)
{
    struct missing_rows *a = c->v->absent;
    size_t bytes = mem_mul(mem_mul(a->h->predicates.len, a->h->keys.len), sizeof *c->best);
    a->too_large = bytes > ABSENT_BYTES;
    if (!a->too_large)
        c->best = mem_calloc(bytes + 1, 1);
}

/* --- all together ---------------------------------------------------------------------------- */

static const char *check_block(struct causal *c)
{
    const struct vis *v = c->v;
    const char *error = NULL;
    memset(c->tail, 0xff, ((size_t)c->chains + 1) * sizeof *c->tail);
    memset(c->now, 0, (v->h->keys.len + 1) * sizeof *c->now);
    rows_start(&c->rows);
    for (uint32_t i = 0; i < c->n && !error && !c->rows.full; i++) {
        const uint32_t *clock = run_clock(c, i);
        error = check_reads(c, clock, i);
        if (c->best)
            note_absent(c, clock, i);
        for (uint32_t w = v->wr_start[i]; w < v->wr_start[i + 1]; w++)
            c->now[v->wr_key.data[w]]++;
        rows_done(&c->rows, i);
    }
    return error;
}

const char *vis_check_causal(struct vis *v)
{
    struct causal c = {.v = v, .n = (uint32_t)v->c->len};
    size_t most = (size_t)c.n + v->h->session_count;
    c.spot = mem_calloc((size_t)c.n + 1, sizeof *c.spot);
    c.tail = array(most);
    c.now = array(v->h->keys.len);
    memset(c.tail, 0xff, most * sizeof *c.tail);
    make_chains(&c);
    rows_init(&c.rows, c.n);
    note_needs(&c);
    rows_set_width(&c.rows, c.chains, CLOCK_BYTES);
    const char *error = NULL;
    if (v->absent)
        start_absent(&c);
    while (c.low < c.chains && !error) {
        error = check_block(&c);
        if (c.rows.full && !error)
            rows_halve(&c.rows, CLOCK_BYTES); /* and once more */
        else
            c.low += c.rows.width;
    }
    if (c.best && !error)
        look_at_absent(&c);
    rows_free(&c.rows);
    mem_free(c.best);
    mem_free(c.spot);
    mem_free(c.tail);
    mem_free(c.now);
    mem_free(c.writer);
    mem_free(c.group_start);
    vec_free(&c.group);
    return error;
}
