/* An order to try before anything is derived; see visibility_internal.h.
 *
 * All that RC, RA and CC ask of an arbitration is that no read misses a visible version that is
 * later in it than the one that it saw.  So we take an order that follows sessions, reads and known
 * version orders, look at every read once, and are done if no read misses a version; otherwise the
 * orders that those reads require are added and the order is mended, a few times
 * (visibility_order.c). The history's own order is mostly that of the commits, and then one look is
 * enough.
 *
 * Under PSI the arbitration also is the version order, and a writer sees the earlier writers of its
 * rows; so an order that a read requires may only be due to the guess, and there is only one look.
 *
 * If the order cannot be mended, the orders that the reads require are contradictory.  Any other
 * failure proves nothing, and everything is derived (visibility_derive.c). */
#include "base/limit.h"
#include "base/clock_rows.h"
#include "check/visibility/visibility_internal.h"

#define ROUNDS 10
#define STEPS 64
#define CLOCK_BYTES ((size_t)1 << 30)

/* Of the transaction at hand: the visible writer of a key that is last in the order, counted from
 * 1. */
struct last_seen {
    uint32_t rank, stamp;
};

/* A transaction by its chain: the `at`-th, from 1. */
struct spot {
    uint32_t chain, at, txn;
};

struct guess {
    struct vis *w;
    const struct prob *p;
    uint32_t *from;                   /* per read: the writer that it saw, or HIST_NONE */
    uint32_t *wr_key;                 /* parallel to prob.wr_ver */
    struct last_seen *seen, *session; /* per key */
    uint32_t now;                     /* stamp of `seen` */
    /* CC, PSI: the transactions that wrote a key, in the order, those before the one at hand;
     * parallel to the versions. */
    struct spot *writers;
    uint32_t *count;
    struct clock_rows rows;
    size_t complaints;
};

/* --- complaints ------------------------------------------------------------------------------ */

/* RC, RA: the read by which the transaction saw the writer, or HIST_NONE: its session did. */
static uint32_t seen_by(const struct guess *g, uint32_t writer, uint32_t read)
{
    uint32_t t = g->p->rd_txn[read], first = g->p->rd_start[t];
    if (g->w->model == MODEL_EC) /* the same read did */
        first = match_read_start(g->p, read, first);
    for (uint32_t r = first; r < g->p->rd_start[t + 1] && !g->w->closed; r++)
        if (g->from[r] == writer)
            return r;
    return HIST_NONE;
}

static void complain(struct guess *g, uint32_t writer, uint32_t read)
{
    struct vis *w = g->w;
    uint32_t a = vis_version_of(g->p, g->p->rd_key[read], writer), seen = seen_by(g, writer, read);
    vec_push(&w->orders, ((struct vis_order){a, w->src[read], read, seen, VIS_SEEN}));
    g->complaints++;
}

static uint32_t rank_seen(const struct guess *g, uint32_t read)
{
    return g->from[read] == HIST_NONE ? 0 : g->w->rank[g->from[read]] + 1;
}

static uint32_t last(const struct last_seen *s, uint32_t now)
{
    return s->stamp == now ? s->rank : 0;
}

static void put(struct last_seen *s, uint32_t now, uint32_t rank)
{
    if (rank > last(s, now))
        *s = (struct last_seen){rank, now};
}

/* All writes of the writer that t read from are visible; of a large one, those of the rows that t
 * reads. */
static void see(struct guess *g, uint32_t t, uint32_t writer)
{
    const struct prob *p = g->p;
    uint32_t rank = g->w->rank[writer] + 1, count = p->wr_start[writer + 1] - p->wr_start[writer];
    if (count <= 16 + 16 * (p->rd_start[t + 1] - p->rd_start[t])) {
        for (uint32_t i = p->wr_start[writer]; i < p->wr_start[writer + 1]; i++)
            put(&g->seen[g->wr_key[i]], g->now, rank);
        return;
    }
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
        if (vis_version_of(p, p->rd_key[r], writer) != HIST_NONE)
            put(&g->seen[p->rd_key[r]], g->now, rank);
}

static void see_source(struct guess *g, uint32_t t, uint32_t read)
{
    struct vis *w = g->w;
    uint32_t writer = g->from[read];
    if (writer == HIST_NONE || w->mark[writer] == w->stamp)
        return;
    w->mark[writer] = w->stamp;
    see(g, t, writer);
}

static void judge_read(struct guess *g, uint32_t read)
{
    uint32_t rank = last(&g->seen[g->p->rd_key[read]], g->now);
    if (rank > rank_seen(g, read) && g->w->src[read] != HIST_NONE)
        complain(g, g->w->order[rank - 1], read);
}

static void start_txn(struct guess *g)
{
    g->now++;
    g->w->stamp++;
}

/* EC, RC: reads one after the other; what earlier ones saw counts for RC only. */
static void judge_rc(struct guess *g)
{
    const struct prob *p = g->p;
    for (uint32_t n = 0; n < p->n; n++) {
        uint32_t t = g->w->order[n];
        if (!vis_present(g->w, t))
            continue;
        start_txn(g);
        for (uint32_t r = p->rd_start[t], end; r < p->rd_start[t + 1]; r = end) {
            end = match_read_end(p, r, p->rd_start[t + 1]);
            if (g->w->model == MODEL_EC)
                start_txn(g);
            for (uint32_t i = r; i < end; i++)
                see_source(g, t, i);
            for (uint32_t i = r; i < end; i++)
                judge_read(g, i);
        }
    }
}

/* Session by session, so that what the session wrote is at hand. */
static void judge_ra(struct guess *g)
{
    struct vis *w = g->w;
    const struct prob *p = g->p;
    for (uint32_t t = 0; t < p->n; t++) {
        uint32_t now = p->session[t] + 1;
        if (!vis_present(w, t))
            continue;
        start_txn(g);
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
            see_source(g, t, r);
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++) {
            uint32_t key = p->rd_key[r];
            if (w->sessions)
                put(&g->seen[key], g->now, last(&g->session[key], now));
            judge_read(g, r);
        }
        for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && w->sessions; i++)
            put(&g->session[g->wr_key[i]], now, w->rank[t] + 1);
    }
}

/* --- CC, PSI --------------------------------------------------------------------------------- */

static struct spot spot_of(const struct prob *p, uint32_t t)
{
    return (struct spot){p->session[t], match_pos(p, t) + 1, t};
}

static bool sees(const struct vis *w, const uint32_t *clock, struct spot s)
{
    return vis_in_block(w, s.chain) && clock[s.chain - w->low] >= s.at;
}

/* Who sees a transaction sees all that it saw; who saw it already gets nothing new. */
static void join(struct guess *g, uint32_t *own, uint32_t from)
{
    if (!sees(g->w, own, spot_of(g->p, from)))
        rows_join(own, rows_get(&g->rows, from), g->w->width);
    rows_asked(&g->rows, from);
}

static uint32_t *run_clock(struct guess *g, uint32_t t)
{
    struct vis *w = g->w;
    const struct prob *p = g->p;
    bool follows = w->sessions && t > p->chain[p->session[t]];
    uint32_t *own = follows ? rows_after(&g->rows, t, t - 1) : rows_new(&g->rows, t);
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
        if (g->from[r] != HIST_NONE)
            join(g, own, g->from[r]);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && w->model == MODEL_PSI; i++) {
        uint32_t key = g->wr_key[i], n = g->count[key];
        if (n && vis_present(w, t))
            join(g, own, g->writers[p->ver_start[key] + n - 1].txn);
    }
    if (vis_in_block(w, p->session[t]))
        own[p->session[t] - w->low] = match_pos(p, t) + 1;
    return own;
}

/* Who will ask for a clock: the next of the session, readers, and for PSI who overwrites. */
static void note_needs(struct guess *g)
{
    const struct vis *w = g->w;
    const struct prob *p = g->p;
    for (uint32_t t = 0; t < p->n; t++) {
        if (w->sessions && t + 1 < p->n && p->session[t] == p->session[t + 1])
            rows_need(&g->rows, t);
        for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && w->model == MODEL_PSI; i++)
            if (vis_present(w, t))
                rows_need(&g->rows, t);
    }
    for (uint32_t r = 0; r < p->rd_start[p->n]; r++)
        if (g->from[r] != HIST_NONE)
            rows_need(&g->rows, g->from[r]);
}

/* The visible writer of the read's row that is last in the order, if later than what it saw. */
static void judge_far(struct guess *g, uint32_t read, uint32_t t, const uint32_t *clock)
{
    const struct vis *w = g->w;
    uint32_t key = g->p->rd_key[read], best = rank_seen(g, read), writer = HIST_NONE;
    for (uint32_t i = w->groups.start[key]; i < w->groups.start[key + 1]; i++) {
        uint32_t a = vis_latest_visible(w, key, i, t, clock);
        if (a == HIST_NONE || w->rank[g->p->ver_txn[a]] + 1 <= best)
            continue;
        writer = g->p->ver_txn[a];
        best = w->rank[writer] + 1;
    }
    if (writer != HIST_NONE)
        complain(g, writer, read);
}

/* Back from the reader to the writer that it saw: is any visible?  Mostly that is a step or two; it
 * is no longer than to look at every chain by itself, unless there are few. */
static void judge_causal(struct guess *g, uint32_t read, uint32_t t, const uint32_t *clock)
{
    const struct vis *w = g->w;
    uint32_t key = g->p->rd_key[read], steps = STEPS;
    const struct spot *writers = g->writers + g->p->ver_start[key];
    uint32_t at = g->count[key], groups = w->groups.start[key + 1] - w->groups.start[key];
    for (steps += 8 * groups; steps; steps--) {
        if (!at || writers[at - 1].txn == g->from[read])
            return;
        if (sees(w, clock, writers[--at])) {
            complain(g, writers[at].txn, read);
            return;
        }
    }
    judge_far(g, read, t, clock);
}

/* False: the rows took too much memory. */
static bool judge_block(struct guess *g)
{
    const struct prob *p = g->p;
    memset(g->count, 0, ((size_t)p->keys + 1) * sizeof *g->count);
    rows_start(&g->rows);
    for (uint32_t i = 0; i < p->n && !g->rows.full; i++) {
        uint32_t t = g->w->order[i];
        const uint32_t *clock = run_clock(g, t);
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
            if (g->w->src[r] != HIST_NONE)
                judge_causal(g, r, t, clock);
        for (uint32_t j = p->wr_start[t]; j < p->wr_start[t + 1] && vis_present(g->w, t); j++) {
            uint32_t key = g->wr_key[j];
            g->writers[p->ver_start[key] + g->count[key]++] = spot_of(p, t);
        }
        rows_done(&g->rows, t);
    }
    return !g->rows.full;
}

static void judge_cc(struct guess *g)
{
    struct vis *w = g->w;
    uint32_t width = w->width;
    rows_set_width(&g->rows, g->p->sessions, CLOCK_BYTES);
    for (w->low = 0; w->low < g->p->sessions && !limit_reached();) {
        size_t orders = w->orders.len, complaints = g->complaints;
        w->width = g->rows.width;
        if (judge_block(g)) {
            w->low += w->width;
            continue;
        }
        w->orders.len = orders;
        g->complaints = complaints;
        rows_halve(&g->rows, CLOCK_BYTES);
    }
    w->low = 0;
    w->width = width;
}

/* --- all together ---------------------------------------------------------------------------- */

static void judge(struct guess *g)
{
    g->complaints = 0;
    if (g->w->model == MODEL_RC || g->w->model == MODEL_EC)
        judge_rc(g);
    else if (g->w->model == MODEL_RA) {
        memset(g->session, 0, ((size_t)g->p->keys + 1) * sizeof *g->session);
        judge_ra(g);
    } else
        judge_cc(g);
}

static void guess_init(struct guess *g)
{
    const struct prob *p = g->p;
    uint32_t reads = p->rd_start[p->n], writes = p->wr_start[p->n];
    g->from = mem_alloc(mem_mul((size_t)reads + 1, sizeof *g->from));
    for (uint32_t r = 0; r < reads; r++) {
        uint32_t v = g->w->src[r], t = v == HIST_NONE ? PROB_INIT : p->ver_txn[v];
        g->from[r] = t == PROB_INIT ? HIST_NONE : t;
    }
    g->wr_key = mem_alloc(mem_mul((size_t)writes + 1, sizeof *g->wr_key));
    for (uint32_t i = 0; i < writes; i++)
        g->wr_key[i] = p->ver_key[p->wr_ver[i]];
    if (g->w->closed) {
        g->writers = mem_alloc(mem_mul((size_t)p->versions + 1, sizeof *g->writers));
        g->count = mem_alloc(mem_mul((size_t)p->keys + 1, sizeof *g->count));
        rows_init(&g->rows, p->n);
        note_needs(g);
        return;
    }
    g->seen = mem_calloc((size_t)p->keys + 1, sizeof *g->seen);
    g->session = mem_calloc((size_t)p->keys + 1, sizeof *g->session);
}

static void guess_free(struct guess *g)
{
    mem_free(g->from);
    mem_free(g->wr_key);
    mem_free(g->writers);
    mem_free(g->count);
    rows_free(&g->rows);
    mem_free(g->seen);
    mem_free(g->session);
}

size_t vis_complain(struct vis *w)
{
    struct guess g = {.w = w, .p = w->p};
    guess_init(&g);
    judge(&g);
    guess_free(&g);
    return g.complaints;
}

static bool any_impossible(const struct vis *w, size_t from)
{
    for (size_t i = from; i < w->orders.len; i++)
        if (w->p->ver_txn[w->orders.data[i].b] == PROB_INIT)
            return true;
    return false;
}

/* What reads ask for is a must for RC, RA and CC; so a cycle is one. */
static enum vis_outcome mend_and_judge(struct guess *g, size_t known)
{
    struct vis *w = g->w;
    for (int round = 0; round < ROUNDS && !limit_reached(); round++) {
        if ((round || !vis_follows(w)) && !vis_mend(w, g->from))
            return w->model == MODEL_PSI ? VIS_STOPPED : VIS_CONFLICT;
        judge(g);
        if (limit_reached() || (g->complaints && w->model == MODEL_PSI))
            return VIS_STOPPED;
        if (!g->complaints)
            return VIS_FINE;
        if (any_impossible(w, known))
            return VIS_CONFLICT;
        if (g->complaints > w->p->n)
            return VIS_STOPPED;
    }
    return VIS_STOPPED;
}

enum vis_outcome vis_guess(struct vis *w)
{
    struct guess g = {.w = w, .p = w->p};
    size_t known = w->orders.len;
    guess_init(&g);
    vis_first_order(w);
    enum vis_outcome o = mend_and_judge(&g, known);
    if (o != VIS_CONFLICT)
        w->orders.len = known;
    guess_free(&g);
    return o;
}
