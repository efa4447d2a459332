/* What each level makes visible, and the version orders that follow; see visibility.h.
 *
 * EC, RC, RA: near-linear (AWDIT, PLDI 2025): only the transactions that were read from are
 * examined, and for each of them the smaller of two sets: the rows that it wrote, and the rows that
 * were read.  CC, PSI: one binary search per read and chain that wrote the row; earlier versions of
 * the chain come before the latest one. */
#include "check/visibility/visibility_internal.h"

static void add(struct vis *w, uint32_t a, uint32_t b, uint32_t read, uint32_t seen)
{
    vec_push(&w->orders, ((struct vis_order){a, b, read, seen, VIS_SEEN}));
}

uint32_t vis_version_of(const struct prob *p, uint32_t key, uint32_t txn)
{
    uint32_t end = p->ver_start[key + 1];
    uint32_t at = match_first_from(p, p->ver_start[key] + 1, end, txn);
    return at < end && p->ver_txn[at] == txn ? at : HIST_NONE;
}

/* The last version in [first, end) that a transaction below `txn` wrote and that happened. */
static uint32_t latest_below(const struct vis *w, uint32_t first, uint32_t end, uint32_t txn,
                             uint32_t except)
{
    const struct prob *p = w->p;
    uint32_t at = match_first_from(p, first, end, txn);
    while (at > first && (p->ver_txn[at - 1] == except || !vis_present(w, p->ver_txn[at - 1])))
        at--;
    return at > first ? at - 1 : HIST_NONE;
}

/* --- CC, PSI --------------------------------------------------------------------------------- */

uint32_t vis_latest_visible(const struct vis *w, uint32_t key, uint32_t group, uint32_t t,
                            const uint32_t *clock)
{
    const struct prob *p = w->p;
    uint32_t chain = w->groups.chain[group], first = w->groups.first[group];
    if (!vis_in_block(w, chain))
        return HIST_NONE;
    uint32_t seen = clock[chain - w->low];
    if (p->ver_txn[first] >= p->chain[chain] + seen)
        return HIST_NONE;
    return latest_below(w, first, groups_end(&w->groups, p, key, group), p->chain[chain] + seen, t);
}

static void lower_read(struct vis *w, uint32_t read)
{
    const struct prob *p = w->p;
    uint32_t key = p->rd_key[read], t = p->rd_txn[read], v = w->src[read];
    const uint32_t *clock = w->clock + (size_t)t * w->width;
    const uint32_t *before =
        p->ver_txn[v] == PROB_INIT ? NULL : w->clock + (size_t)p->ver_txn[v] * w->width;
    for (uint32_t g = w->groups.start[key]; g < w->groups.start[key + 1]; g++) {
        uint32_t c = w->groups.chain[g] - w->low;
        if (c >= w->width || (before && before[c] == clock[c]))
            continue; /* whatever t sees of it precedes v */
        uint32_t a = vis_latest_visible(w, key, g, t, clock);
        if (a != HIST_NONE && a != v &&
            !(before && before[c] > p->ver_txn[a] - p->chain[w->groups.chain[g]]))
            add(w, a, v, read, HIST_NONE);
    }
}

static void derive_closed(struct vis *w)
{
    const struct prob *p = w->p;
    uint32_t reads = p->rd_start[p->n];
    for (uint32_t r = 0; r < reads; r++)
        if (w->src[r] != HIST_NONE)
            lower_read(w, r);
}

/* --- RC, RA ---------------------------------------------------------------------------------- */

/* The writer that read `from` saw is visible to the transaction's reads that key_read names. */
static void derive_seen(struct vis *w, uint32_t from, uint32_t first, uint32_t end)
{
    const struct prob *p = w->p;
    uint32_t writer = p->ver_txn[w->src[from]];
    uint32_t count = p->wr_start[writer + 1] - p->wr_start[writer];
    if (count <= end - first) {
        for (uint32_t i = p->wr_start[writer]; i < p->wr_start[writer + 1]; i++) {
            uint32_t a = p->wr_ver[i], key = p->ver_key[a];
            if (w->key_mark[key] == w->key_stamp && w->src[w->key_read[key]] != a)
                add(w, a, w->src[w->key_read[key]], w->key_read[key], from);
        }
        return;
    }
    for (uint32_t r = first; r < end; r++) {
        if (w->key_read[p->rd_key[r]] != r || w->src[r] == HIST_NONE)
            continue;
        uint32_t a = vis_version_of(p, p->rd_key[r], writer);
        if (a != HIST_NONE && w->src[r] != a)
            add(w, a, w->src[r], r, from);
    }
}

/* Was the writer seen by a read before this one?  (mark: per transaction) */
static bool first_seen(struct vis *w, uint32_t writer)
{
    bool first = w->mark[writer] != w->stamp;
    w->mark[writer] = w->stamp;
    return first;
}

/* The rows [first, end) of one read: what it saw comes before what a later read of the row saw. */
static void rc_rows(struct vis *w, uint32_t first, uint32_t end)
{
    const struct prob *p = w->p;
    for (uint32_t r = first; r < end; r++) {
        uint32_t key = p->rd_key[r], v = w->src[r];
        if (v == HIST_NONE)
            continue;
        if (w->key_mark[key] == w->key_stamp && p->ver_txn[v] != PROB_INIT &&
            w->src[w->key_read[key]] != v)
            add(w, v, w->src[w->key_read[key]], w->key_read[key], r);
        w->key_mark[key] = w->key_stamp;
        w->key_read[key] = r;
    }
}

/* Backwards, so that key_read is the next read of a row at or after the present one.  A writer read
 * from twice is looked at twice, which adds nothing wrong. */
static void derive_rc(struct vis *w, uint32_t t)
{
    const struct prob *p = w->p;
    uint32_t start = p->rd_start[t], last = p->rd_start[t + 1];
    w->key_stamp++;
    for (uint32_t end = last, first; end > start; end = first) {
        first = end - 1;
        while (p->grouped && first > start && match_same_read(p, first))
            first--;
        rc_rows(w, first, end);
        for (uint32_t r = first; r < end; r++)
            if (w->src[r] != HIST_NONE && p->ver_txn[w->src[r]] != PROB_INIT)
                derive_seen(w, r, first, last);
    }
}

/* Each read by itself. */
static void derive_ec(struct vis *w, uint32_t t)
{
    const struct prob *p = w->p;
    uint32_t last = p->rd_start[t + 1];
    for (uint32_t first = p->rd_start[t], end; first < last; first = end) {
        end = match_read_end(p, first, last);
        w->key_stamp++;
        for (uint32_t r = end; r-- > first;)
            rc_rows(w, r, r + 1);
        for (uint32_t r = first; r < end; r++)
            if (w->src[r] != HIST_NONE && p->ver_txn[w->src[r]] != PROB_INIT)
                derive_seen(w, r, first, end);
    }
}

static void derive_ra(struct vis *w, uint32_t t)
{
    const struct prob *p = w->p;
    w->key_stamp++;
    w->stamp++;
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++) {
        if (w->src[r] == HIST_NONE)
            continue;
        w->key_mark[p->rd_key[r]] = w->key_stamp;
        w->key_read[p->rd_key[r]] = r;
    }
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++) {
        if (w->src[r] == HIST_NONE)
            continue;
        uint32_t key = p->rd_key[r], writer = p->ver_txn[w->src[r]];
        if (writer != PROB_INIT && first_seen(w, writer))
            derive_seen(w, r, p->rd_start[t], p->rd_start[t + 1]);
        if (!w->sessions)
            continue;
        uint32_t a = latest_below(w, p->ver_start[key] + 1, p->ver_start[key + 1], t, t);
        if (a != HIST_NONE && a != w->src[r] && p->session[p->ver_txn[a]] == p->session[t])
            add(w, a, w->src[r], r, HIST_NONE);
    }
}

void vis_derive(struct vis *w)
{
    const struct prob *p = w->p;
    if (w->closed) {
        derive_closed(w);
        return;
    }
    for (uint32_t t = 0; t < p->n; t++)
        if (vis_present(w, t) && p->rd_start[t] < p->rd_start[t + 1]) {
            if (w->model == MODEL_EC)
                derive_ec(w, t);
            else if (w->model == MODEL_RC)
                derive_rc(w, t);
            else
                derive_ra(w, t);
        }
}
