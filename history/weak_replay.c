/* An arbitration and the sources of all reads, found together by running the history; see
 * weak_internal.h.
 *
 * Transactions run one after the other, and the order in which they do is the arbitration.  The
 * next one of a chain may run if some of those in place can be made visible to it so that the last
 * visible writer of every row that it reads wrote what it read.  What is visible only grows: from
 * what must be (its session; PSI: who wrote its rows before), as long as some read sees the wrong
 * version, by a later one that it could have seen and all that comes with it.  The read with the
 * fewest ways out is looked at first, and of those the one that makes least visible.
 *
 * For RC, RA and CC a transaction that can run now can run later as well, since nobody has to see
 * what others do; and the less it sees, the better for all who see it.  So where many writes
 * explain a read this gets far, which is where the solver is at a loss (weak_search.c).  Who cannot
 * run waits for a write that it could have seen.
 *
 * If everybody waits, something ran too early: somebody has to see a version, and one that it could
 * have seen instead ran before that and should have run after it.  We go back to the latest
 * transaction of which that may be true.  Where there is none, the last few run again in another
 * order, then more of them.
 *
 * A failure means nothing. */
#include <stdlib.h>

#include "base/limit.h"
#include "base/map.h"
#include "history/weak_internal.h"

#define OPTIONS 64 /* ways out that are tried for one read */
#define BUDGET 500 /* steps of the search for one transaction */
#define STEPS 32   /* places looked at before the chains are */
#define ATTEMPTS 100
#define TIMES 1000 /* how often every transaction may be looked at, on average */

struct option {
    uint64_t growth;
    uint32_t version;
};

/* A chain waits for a version that a read of its next transaction could see; HIST_NONE: for any
 * version of the key. */
struct waiter {
    uint32_t chain, read, stamp, next;
};

enum { SOFT, HARD, DROPPED };
struct edge {
    uint32_t from, next, kind;
};

/* Why a chain waits: a read sees a version and can see none later; or for a transaction. */
struct stuck {
    uint32_t read, version, txn;
};

/* What could be changed: `before` runs before `txn`, which now runs when `to` are in place. */
struct change {
    uint32_t to;
    uint32_t before, txn;
};

struct replay {
    struct weak *w;
    struct prob *p;
    enum model_id model;
    bool closed;
    uint32_t *hint;         /* per transaction: when it would like to run */
    uint32_t *next;         /* per chain: the transaction that runs next */
    uint32_t *line, *count; /* per key: the versions in place, parallel to the versions */
    uint32_t *place;        /* per version: its place in the line, from 1; 0: none */

    uint64_t *heap; /* chains that may be able to run, by the hint of their next transaction */
    size_t heap_len;
    uint32_t *waiting; /* per key, then per transaction: 1 + the first of those who wait for it */
    uint32_t *stamp;   /* per chain: of its waiters that count */
    VEC(struct waiter) waiters;
    struct stuck *stuck; /* per chain */

    uint32_t t;      /* the transaction at hand */
    uint32_t budget; /* left for it */
    /* What is visible to it, one state for each step of the search.  RC, RA: per read the place of
     * the last visible version.  CC, PSI: a clock. */
    VEC(uint32_t) states;
    size_t width;

    /* Who has to run before whom, beyond the problem's own order: per transaction 1 + the first of
     * those that lead to it. */
    uint32_t *edge;
    VEC(struct edge) edges;
    struct map useless; /* edges that did not help */
    size_t work;        /* transactions that may still be looked at */
    uint32_t furthest, tries, attempt;
};

/* --- the chains that may run: a binary heap -------------------------------------------------- */

static void heap_push(struct replay *c, uint32_t chain)
{
    uint64_t x = (uint64_t)c->hint[c->next[chain]] << 32 | chain;
    size_t i = c->heap_len++;
    for (; i && c->heap[(i - 1) / 2] > x; i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = x;
}

static uint32_t heap_pop(struct replay *c)
{
    uint64_t top = c->heap[0], x = c->heap[--c->heap_len];
    size_t i = 0;
    for (;;) {
        size_t k = 2 * i + 1;
        if (k >= c->heap_len)
            break;
        if (k + 1 < c->heap_len && c->heap[k + 1] < c->heap[k])
            k++;
        if (c->heap[k] >= x)
            break;
        c->heap[i] = c->heap[k];
        i = k;
    }
    c->heap[i] = x;
    return (uint32_t)top;
}

/* --- who could have been seen ---------------------------------------------------------------- */

/* Candidates stand in ascending order. */
static bool could_see(const struct replay *c, uint32_t read, uint32_t version)
{
    const struct prob *p = c->p;
    if (!(p->rd_ver[read] & PROB_CHOICE))
        return p->rd_ver[read] == version;
    const struct match_choice *x = &p->choices.data[p->rd_ver[read] & ~PROB_CHOICE];
    const uint32_t *v = p->cand.data + x->start;
    uint32_t lo = 0, hi = x->len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (v[mid] < version)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < x->len && v[lo] == version;
}

static uint32_t version_at(const struct replay *c, uint32_t key, uint32_t place)
{
    return c->line[c->p->ver_start[key] + place]; /* of place 0: the initial version */
}

static bool in_place(const struct replay *c, uint32_t txn)
{
    return c->next[c->p->session[txn]] > txn;
}

/* --- what is visible ------------------------------------------------------------------------- */

static uint32_t *state_of(struct replay *c, size_t depth)
{
    if (c->states.len < (depth + 1) * c->width)
        vec_resize(&c->states, 2 * (depth + 1) * c->width);
    return c->states.data + depth * c->width;
}

static uint32_t *row(const struct replay *c, uint32_t txn)
{
    return c->w->clock + (size_t)txn * c->w->width;
}

static void join(uint32_t *own, const uint32_t *other, size_t width)
{
    for (size_t i = 0; i < width; i++)
        own[i] = own[i] > other[i] ? own[i] : other[i];
}

/* The place of the last visible version of a key: mostly that is among the last few; otherwise by
 * chains. */
static uint32_t last_in_clock(const struct replay *c, const uint32_t *clock, uint32_t key)
{
    const struct prob *p = c->p;
    uint32_t at = c->count[key], best = 0;
    uint32_t groups = c->w->group_start[key + 1] - c->w->group_start[key];
    for (uint32_t steps = STEPS + 8 * groups; at; at--) {
        uint32_t t = p->ver_txn[version_at(c, key, at)];
        if (clock[p->session[t]] > match_pos(p, t))
            return at;
        if (!--steps)
            break;
    }
    for (uint32_t g = c->w->group_start[key]; at && g < c->w->group_start[key + 1]; g++) {
        uint32_t v = weak_latest_visible(c->w, key, g, c->t, clock);
        if (v != HIST_NONE && c->place[v] > best)
            best = c->place[v];
    }
    return best;
}

static uint32_t last_visible(const struct replay *c, const uint32_t *state, uint32_t read)
{
    if (!c->closed)
        return state[read - c->p->rd_start[c->t]];
    return last_in_clock(c, state, c->p->rd_key[read]);
}

/* RC, RA: the writer becomes visible to reads from `first` on. */
static void see_writer(const struct replay *c, uint32_t *state, uint32_t writer, uint32_t first)
{
    const struct prob *p = c->p;
    for (uint32_t r = first; r < p->rd_start[c->t + 1]; r++) {
        uint32_t v = weak_version_of(p, p->rd_key[r], writer), *at = &state[r - p->rd_start[c->t]];
        if (v != HIST_NONE && c->place[v] > *at)
            *at = c->place[v];
    }
}

static void see(struct replay *c, uint32_t *state, uint32_t version, uint32_t first)
{
    uint32_t writer = c->p->ver_txn[version];
    if (c->closed)
        join(state, row(c, writer), c->width);
    else
        see_writer(c, state, writer, first);
}

/* How much more would be visible. */
static uint64_t growth(const struct replay *c, const uint32_t *state, uint32_t version)
{
    uint64_t sum = 0;
    if (!c->closed)
        return c->place[version];
    const uint32_t *other = row(c, c->p->ver_txn[version]);
    for (size_t i = 0; i < c->width; i++)
        sum += other[i] > state[i] ? other[i] - state[i] : 0;
    return sum;
}

/* The version of the key that the session wrote last, or HIST_NONE. */
uint32_t weak_session_wrote(const struct prob *p, uint32_t key, uint32_t t)
{
    uint32_t lo = p->ver_start[key] + 1, hi = p->ver_start[key + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->ver_txn[mid] < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    lo--;
    return lo > p->ver_start[key] && p->session[p->ver_txn[lo]] == p->session[t] ? lo : HIST_NONE;
}

/* What is visible to the transaction at hand in any case. */
static void start_state(struct replay *c)
{
    const struct weak *w = c->w;
    const struct prob *p = c->p;
    uint32_t t = c->t;
    c->width = c->closed ? w->width : p->rd_start[t + 1] - p->rd_start[t];
    uint32_t *state = state_of(c, 0);
    memset(state, 0, c->width * sizeof *state);
    if (c->closed && t > p->chain[p->session[t]])
        join(state, row(c, t - 1), c->width);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && c->model == MODEL_PSI; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]];
        if (c->count[key])
            join(state, row(c, p->ver_txn[version_at(c, key, c->count[key])]), c->width);
    }
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1] && c->model == MODEL_RA; r++) {
        uint32_t v = w->sessions ? weak_session_wrote(p, p->rd_key[r], t) : HIST_NONE;
        state[r - p->rd_start[t]] = v == HIST_NONE ? 0 : c->place[v];
    }
}

/* --- the search for one transaction ---------------------------------------------------------- */

static int by_growth(const void *a, const void *b)
{
    const struct option *x = a, *y = b;
    if (x->growth != y->growth)
        return x->growth < y->growth ? -1 : 1;
    return x->version < y->version ? -1 : x->version > y->version;
}

/* Later versions than the one at `place` that the read could see, at most `most`. */
static uint32_t list_options(const struct replay *c, uint32_t read, uint32_t place,
                             struct option *out, uint32_t most)
{
    const struct prob *p = c->p;
    uint32_t v = p->rd_ver[read], key = p->rd_key[read], len = 0;
    const uint32_t *cand = &p->rd_ver[read];
    uint32_t n = 1;
    if (v & PROB_CHOICE) {
        cand = p->cand.data + p->choices.data[v & ~PROB_CHOICE].start;
        n = p->choices.data[v & ~PROB_CHOICE].len;
    }
    if (n <= most) {
        for (uint32_t i = 0; i < n; i++)
            if (c->place[cand[i]] > place)
                out[len++].version = cand[i];
        return len;
    }
    for (uint32_t i = place + 1; i <= c->count[key] && len < most; i++) {
        uint32_t x = version_at(c, key, i);
        if (could_see(c, read, x))
            out[len++].version = x;
    }
    return len;
}

static uint32_t group_end(const struct replay *c, uint32_t first)
{
    uint32_t end = c->p->rd_start[c->t + 1];
    return c->model == MODEL_RC && first < end ? match_read_end(c->p, first, end) : end;
}

/* The read in [first, end) that sees the wrong version and has the fewest ways out, into *read;
 * HIST_NONE: none.  False: one has no way out. */
static bool find_wrong(struct replay *c, const uint32_t *state, uint32_t first, uint32_t end,
                       uint32_t *read)
{
    struct option few[4];
    uint32_t fewest = UINT32_MAX;
    *read = HIST_NONE;
    for (uint32_t r = first; r < end; r++) {
        uint32_t place = last_visible(c, state, r);
        uint32_t v = version_at(c, c->p->rd_key[r], place);
        c->w->src[r] = v;
        if (could_see(c, r, v))
            continue;
        uint32_t n = list_options(c, r, place, few, 4);
        if (!n) {
            struct stuck *x = &c->stuck[c->p->session[c->t]];
            if (x->read == HIST_NONE)
                *x = (struct stuck){r, v, HIST_NONE};
            return false;
        }
        if (n < fewest) {
            fewest = n;
            *read = r;
        }
    }
    return true;
}

static bool settle(struct replay *c, size_t depth, uint32_t first)
{
    struct option options[OPTIONS];
    uint32_t end = group_end(c, first), read;
    if (!find_wrong(c, state_of(c, depth), first, end, &read))
        return false;
    if (read == HIST_NONE)
        return end == c->p->rd_start[c->t + 1] || settle(c, depth, end);
    const uint32_t *state = state_of(c, depth);
    uint32_t n = list_options(c, read, last_visible(c, state, read), options, OPTIONS);
    for (uint32_t i = 0; i < n; i++)
        options[i].growth = growth(c, state, options[i].version);
    qsort(options, n, sizeof *options, by_growth);
    for (uint32_t i = 0; i < n && c->budget; i++) {
        c->budget--;
        uint32_t *next = state_of(c, depth + 1);
        memcpy(next, state_of(c, depth), c->width * sizeof *next);
        see(c, next, options[i].version, first);
        if (settle(c, depth + 1, first)) {
            if (c->closed)
                memcpy(state_of(c, depth), state_of(c, depth + 1), c->width * sizeof *next);
            return true;
        }
    }
    return false;
}

/* --- running --------------------------------------------------------------------------------- */

static void wait_for(struct replay *c, uint32_t list, uint32_t read)
{
    uint32_t chain = c->p->session[c->t];
    vec_push(&c->waiters, ((struct waiter){chain, read, c->stamp[chain], c->waiting[list]}));
    c->waiting[list] = (uint32_t)c->waiters.len;
}

static void wait_for_all(struct replay *c)
{
    const struct prob *p = c->p;
    for (uint32_t r = p->rd_start[c->t]; r < p->rd_start[c->t + 1]; r++)
        wait_for(c, p->rd_key[r], r);
    for (uint32_t i = p->wr_start[c->t]; i < p->wr_start[c->t + 1] && c->model == MODEL_PSI; i++)
        wait_for(c, p->ver_key[p->wr_ver[i]], HIST_NONE);
}

static void wake(struct replay *c, uint32_t list, uint32_t version)
{
    uint32_t i = c->waiting[list], kept = 0;
    while (i) {
        struct waiter *x = &c->waiters.data[i - 1];
        uint32_t next = x->next;
        if (x->stamp == c->stamp[x->chain]) {
            if (x->read == HIST_NONE || could_see(c, x->read, version)) {
                c->stamp[x->chain]++;
                heap_push(c, x->chain);
            } else {
                x->next = kept;
                kept = i;
            }
        }
        i = next;
    }
    c->waiting[list] = kept;
}

static void put(struct replay *c)
{
    struct weak *w = c->w;
    const struct prob *p = c->p;
    uint32_t t = c->t, chain = p->session[t];
    if (w->closed) {
        memcpy(row(c, t), state_of(c, 0), c->width * sizeof(uint32_t));
        row(c, t)[chain] = match_pos(p, t) + 1;
    }
    w->rank[t] = w->sorted;
    w->order[w->sorted++] = t;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t v = p->wr_ver[i], key = p->ver_key[v];
        c->place[v] = ++c->count[key];
        c->line[p->ver_start[key] + c->place[v]] = v;
    }
    c->next[chain]++;
}

static void take_last(struct replay *c)
{
    const struct prob *p = c->p;
    uint32_t t = c->w->order[--c->w->sorted];
    c->next[p->session[t]] = t;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        c->count[p->ver_key[p->wr_ver[i]]]--;
        c->place[p->wr_ver[i]] = 0;
    }
}

static void wake_all(struct replay *c)
{
    const struct prob *p = c->p;
    uint32_t t = c->t, chain = p->session[t];
    if (c->next[chain] < p->chain[chain + 1])
        heap_push(c, chain);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++)
        wake(c, p->ver_key[p->wr_ver[i]], p->wr_ver[i]);
    wake(c, p->keys + t, HIST_NONE);
}

/* Somebody who has to run first, or HIST_NONE. */
static uint32_t find_before(const struct replay *c, uint32_t t)
{
    for (uint32_t i = c->edge[t]; i; i = c->edges.data[i - 1].next) {
        const struct edge *e = &c->edges.data[i - 1];
        if (e->kind != DROPPED && !in_place(c, e->from))
            return e->from;
    }
    return HIST_NONE;
}

static bool can_run(struct replay *c, uint32_t chain)
{
    c->t = c->next[chain];
    c->budget = BUDGET;
    uint32_t before = find_before(c, c->t);
    c->stuck[chain] = (struct stuck){HIST_NONE, HIST_NONE, before};
    if (before != HIST_NONE)
        return false;
    start_state(c);
    return settle(c, 0, c->p->rd_start[c->t]);
}

static void run_next(struct replay *c, uint32_t chain)
{
    if (can_run(c, chain)) {
        put(c);
        wake_all(c);
    } else if (c->stuck[chain].txn != HIST_NONE) {
        wait_for(c, c->p->keys + c->stuck[chain].txn, HIST_NONE);
    } else {
        wait_for_all(c);
    }
}

/* For work that is about so many transactions, each looked at briefly. */
static void pay(struct replay *c, size_t txns)
{
    size_t cost = txns / 16;
    c->work -= cost < c->work ? cost : c->work;
}

/* --- going back ------------------------------------------------------------------------------ */

static void add_edge(struct replay *c, uint32_t from, uint32_t to, uint32_t kind)
{
    vec_push(&c->edges, ((struct edge){from, c->edge[to], kind}));
    c->edge[to] = (uint32_t)c->edges.len;
}

static bool is_after_marked(const struct replay *c, uint32_t t)
{
    const struct weak *w = c->w;
    const struct prob *p = c->p;
    if (t > p->chain[p->session[t]] && w->mark[t - 1] == w->stamp)
        return true;
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++) {
        uint32_t v = p->rd_ver[r];
        if (!(v & PROB_CHOICE) && p->ver_txn[v] != PROB_INIT && w->mark[p->ver_txn[v]] == w->stamp)
            return true;
    }
    for (uint32_t e = c->edge[t]; e; e = c->edges.data[e - 1].next)
        if (c->edges.data[e - 1].kind != DROPPED && w->mark[c->edges.data[e - 1].from] == w->stamp)
            return true;
    return false;
}

/* Does a have to run before b, whatever the choices?  Both are in place, a first. */
static bool must_precede(struct replay *c, uint32_t a, uint32_t b)
{
    struct weak *w = c->w;
    pay(c, w->rank[b] - w->rank[a]);
    w->mark[a] = ++w->stamp;
    for (uint32_t i = w->rank[a] + 1; i <= w->rank[b]; i++)
        if (is_after_marked(c, w->order[i]))
            w->mark[w->order[i]] = w->stamp;
    return w->mark[b] == w->stamp;
}

/* The last version before the one that is seen which the read could have seen and which may be
 * later. */
static void change_order(struct replay *c, const struct stuck *x, struct change *best)
{
    const struct prob *p = c->p;
    uint32_t key = p->ver_key[x->version], seen = p->ver_txn[x->version];
    for (uint32_t at = c->place[x->version]; at-- > 1 && c->work;) {
        uint32_t v = version_at(c, key, at), t = p->ver_txn[v];
        if (best->to != HIST_NONE && c->w->rank[t] <= best->to)
            return;
        if (could_see(c, x->read, v) && !map_get(&c->useless, (uint64_t)seen << 32 | t) &&
            !must_precede(c, t, seen)) {
            *best = (struct change){c->w->rank[t], seen, t};
            return;
        }
    }
}

static struct change find_change(struct replay *c)
{
    const struct prob *p = c->p;
    struct change best = {HIST_NONE, HIST_NONE, HIST_NONE};
    for (uint32_t s = 0; s < p->sessions; s++) {
        const struct stuck *x = &c->stuck[s];
        if (c->next[s] == p->chain[s + 1] || x->read == HIST_NONE ||
            p->ver_txn[x->version] == PROB_INIT)
            continue;
        change_order(c, x, &best);
    }
    return best;
}

static void go_back(struct replay *c, uint32_t to)
{
    const struct prob *p = c->p;
    while (c->w->sorted > to)
        take_last(c);
    pay(c, p->keys + p->n);
    memset(c->waiting, 0, ((size_t)p->keys + p->n + 1) * sizeof *c->waiting);
    vec_clear(&c->waiters);
    c->heap_len = 0;
    for (uint32_t s = 0; s < p->sessions; s++)
        if (c->next[s] < p->chain[s + 1])
            heap_push(c, s);
}

/* Somebody waits for another only because we said so. */
static bool drop_edges(struct replay *c)
{
    const struct prob *p = c->p;
    bool any = false;
    for (uint32_t s = 0; s < p->sessions && !any; s++) {
        uint32_t t = c->next[s];
        if (t == p->chain[s + 1] || c->stuck[s].txn == HIST_NONE)
            continue;
        for (uint32_t e = c->edge[t]; e; e = c->edges.data[e - 1].next) {
            struct edge *x = &c->edges.data[e - 1];
            if (x->kind != SOFT)
                continue;
            x->kind = DROPPED;
            map_put(&c->useless, (uint64_t)x->from << 32 | t, 1, NULL);
            any = true;
        }
    }
    if (any)
        go_back(c, c->w->sorted);
    return any;
}

/* The last few once more, in another order. */
static bool shake(struct replay *c)
{
    const struct prob *p = c->p;
    if (++c->attempt > ATTEMPTS)
        return false;
    if (c->w->sorted > c->furthest) {
        c->furthest = c->w->sorted;
        c->tries = 0;
    }
    uint32_t few = 8u << (c->tries++ / 2 % 10);
    for (size_t i = 0; i < c->edges.len; i++)
        if (c->edges.data[i].kind == SOFT)
            c->edges.data[i].kind = DROPPED;
    map_free(&c->useless);
    c->useless = (struct map){0};
    for (uint32_t i = 0; i < p->n; i++) {
        uint64_t h = hash_u64((uint64_t)c->attempt << 32 | i);
        c->hint[i] = c->hint[i] + (uint32_t)(h % (2 * p->sessions));
    }
    go_back(c, c->w->sorted > few ? c->w->sorted - few : 0);
    return true;
}

static bool repair(struct replay *c)
{
    if (drop_edges(c))
        return true;
    struct change x = find_change(c);
    if (x.to == HIST_NONE)
        return shake(c);
    add_edge(c, x.before, x.txn, SOFT);
    go_back(c, x.to);
    return true;
}

static bool run(struct replay *c)
{
    do {
        while (c->heap_len) {
            if (!c->work || (!(c->work & 255) && limit_reached()))
                return false;
            c->work--;
            run_next(c, heap_pop(c));
        }
    } while (c->w->sorted < c->p->n && repair(c));
    return c->w->sorted == c->p->n;
}

/* --- all together ---------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void start(struct replay *c)
{
    struct prob *p = c->p;
    for (size_t i = 0; i < p->choices.len; i++)
        qsort(p->cand.data + p->choices.data[i].start, p->choices.data[i].len, sizeof *p->cand.data,
              by_number);
    memcpy(c->hint, c->w->rank, (size_t)p->n * sizeof *c->hint);
    for (uint32_t k = 0; k < p->keys; k++)
        c->line[p->ver_start[k]] = p->ver_start[k];
    for (size_t i = 0; i < c->w->orders.len; i++)
        if (weak_is_edge(c->w, &c->w->orders.data[i]))
            add_edge(c, p->ver_txn[c->w->orders.data[i].a], p->ver_txn[c->w->orders.data[i].b],
                     HARD);
    c->w->sorted = 0;
    for (uint32_t s = 0; s < p->sessions; s++) {
        c->next[s] = p->chain[s];
        if (c->next[s] < p->chain[s + 1])
            heap_push(c, s);
    }
}

static uint32_t *array(size_t n)
{
    return mem_calloc(n + 2, sizeof(uint32_t));
}

bool weak_replay(struct weak *w, enum model_id model)
{
    struct prob *p = w->p;
    struct replay c = {.w = w, .p = p, .model = model};
    c.closed = model == MODEL_CC || model == MODEL_PSI;
    if (p->maybe || (c.closed && w->width < p->sessions))
        return false;
    weak_make_clocks(w);
    weak_merged_order(w);
    c.work = TIMES * ((size_t)p->n + 100);
    c.hint = array(p->n);
    c.next = array(p->sessions);
    c.line = array(p->versions);
    c.count = array(p->keys);
    c.place = array(p->versions);
    c.heap = mem_alloc(mem_mul((size_t)p->sessions + 1, sizeof *c.heap));
    c.waiting = array((size_t)p->keys + p->n);
    c.stamp = array(p->sessions);
    c.edge = array(p->n);
    c.stuck = mem_calloc((size_t)p->sessions + 1, sizeof *c.stuck);
    start(&c);
    bool through = run(&c);
    void *all[] = {c.hint, c.next,    c.line,  c.count, c.place,
                   c.heap, c.waiting, c.stamp, c.edge,  c.stuck};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    vec_free(&c.waiters);
    vec_free(&c.states);
    vec_free(&c.edges);
    map_free(&c.useless);
    return through && weak_follows(w);
}
