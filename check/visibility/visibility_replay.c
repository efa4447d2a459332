/* An arbitration and the sources of all reads, found together by running the history; see
 * visibility_internal.h.
 *
 * Transactions run one after the other, and the order in which they run is the arbitration.  The
 * next transaction of a chain may run if some of the transactions in place can be made visible to
 * it so that, for every row that it reads, the last visible writer wrote what it read.  The set of
 * visible transactions only grows.  It starts with those that must be visible (its session; PSI:
 * the earlier writers of its rows).  As long as some read sees the wrong version, a later version
 * that the read could have seen becomes visible, with everything that comes with it.  The read with
 * the fewest such versions is treated first, and the version that makes least visible is tried
 * first.
 *
 * For RC, RA and CC a transaction that can run now can run later as well, since nothing forces it
 * to see the others; and the less it sees, the easier it is for the transactions that see it.  So
 * this succeeds often where many writes explain a read, which is where the solver is slow
 * (visibility_search.c).  A transaction that cannot run waits for a write that it could have seen.
 *
 * If all chains wait, something ran too early: some read has to see a version, and a version that
 * it could have seen instead ran before that one and should have run after it.  We go back to the
 * latest transaction of which that may be true.  Where there is none, the last few transactions run
 * again in another order, then more of them.
 *
 * A failure proves nothing. */
#include <stdlib.h>

#include "base/limit.h"
#include "check/visibility/visibility_replay.h"

#define ATTEMPTS 100
#define TIMES 1000 /* how often every transaction may be looked at, on average */

/* --- the chains that may run ----------------------------------------------------------------- */

static void set_ready(struct replay *c, uint32_t chain)
{
    heap_push(&c->ready, (uint64_t)c->hint[c->next[chain]] << 32 | chain);
}

/* --- running --------------------------------------------------------------------------------- */

static void wait_for(struct replay *c, uint32_t list, uint32_t read)
{
    uint32_t chain = c->p->session[c->t];
    vec_push(&c->waiters, ((struct waiter){chain, read, c->stamp[chain], c->waiting[list]}));
    c->waiting[list] = (uint32_t)c->waiters.len;
    c->steps += 2;
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
        c->steps += 4;
        if (x->stamp == c->stamp[x->chain]) {
            if (x->read == HIST_NONE || replay_could_see(c, x->read, version)) {
                c->stamp[x->chain]++;
                set_ready(c, x->chain);
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
    struct vis *w = c->w;
    const struct prob *p = c->p;
    uint32_t t = c->t, chain = p->session[t];
    if (c->closed) {
        memcpy(replay_row(c, t), c->states.data, c->width * sizeof(uint32_t));
        replay_row(c, t)[chain] = match_pos(p, t) + 1;
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
        set_ready(c, chain);
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++)
        wake(c, p->ver_key[p->wr_ver[i]], p->wr_ver[i]);
    wake(c, p->keys + t, HIST_NONE);
}

/* Somebody who has to run first, or HIST_NONE. */
static uint32_t find_before(const struct replay *c, uint32_t t)
{
    for (uint32_t i = c->edge[t]; i; i = c->edges.data[i - 1].next) {
        const struct extra_order *e = &c->edges.data[i - 1];
        if (e->kind != DROPPED && !replay_in_place(c, e->from))
            return e->from;
    }
    return HIST_NONE;
}

static bool can_run(struct replay *c, uint32_t chain)
{
    c->t = c->next[chain];
    uint32_t before = find_before(c, c->t);
    c->stuck[chain] = (struct stuck){HIST_NONE, HIST_NONE, before};
    if (before != HIST_NONE)
        return false;
    return replay_settle(c);
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
    budget_spend(c->total, txns / 4);
}

/* The next transaction of a chain had its turn. */
static void pay_for_turn(struct replay *c)
{
    c->work--;
    budget_spend(c->total, 4 + c->steps);
    c->steps = 0;
}

/* --- going back ------------------------------------------------------------------------------ */

static void add_edge(struct replay *c, uint32_t from, uint32_t to, uint32_t kind)
{
    vec_push(&c->edges, ((struct extra_order){from, c->edge[to], kind}));
    c->edge[to] = (uint32_t)c->edges.len;
}

static bool is_after_marked(const struct replay *c, uint32_t t)
{
    const struct vis *w = c->w;
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
    struct vis *w = c->w;
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
        uint32_t v = replay_version_at(c, key, at), t = p->ver_txn[v];
        if (best->to != HIST_NONE && c->w->rank[t] <= best->to)
            return;
        if (replay_could_see(c, x->read, v) && !map_get(&c->useless, (uint64_t)seen << 32 | t) &&
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
    vec_clear(&c->ready);
    for (uint32_t s = 0; s < p->sessions; s++)
        if (c->next[s] < p->chain[s + 1])
            set_ready(c, s);
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
            struct extra_order *x = &c->edges.data[e - 1];
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
        while (c->ready.len) {
            if (!c->work || budget_is_over(c->total) || (!(c->work & 255) && limit_reached()))
                return false;
            run_next(c, (uint32_t)heap_pop(&c->ready));
            pay_for_turn(c);
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
        if (vis_is_edge(c->w, &c->w->orders.data[i]))
            add_edge(c, p->ver_txn[c->w->orders.data[i].a], p->ver_txn[c->w->orders.data[i].b],
                     HARD);
    c->w->sorted = 0;
    for (uint32_t s = 0; s < p->sessions; s++) {
        c->next[s] = p->chain[s];
        if (c->next[s] < p->chain[s + 1])
            set_ready(c, s);
    }
}

static uint32_t *array(size_t n)
{
    return mem_calloc(n + 2, sizeof(uint32_t));
}

bool vis_replay(struct vis *w, enum model_id model, struct budget *b)
{
    struct prob *p = w->p;
    struct replay c = {.w = w, .p = p, .model = model, .total = b};
    c.closed = model == MODEL_CC || model == MODEL_PSI;
    if (p->maybe || (c.closed && w->width < p->sessions))
        return false;
    vis_make_clocks(w);
    vis_merged_order(w);
    budget_spend(b, 4 * (uint64_t)p->cand.len + p->rd_start[p->n] + p->n);
    c.work = TIMES * ((size_t)p->n + 100);
    c.hint = array(p->n);
    c.next = array(p->sessions);
    c.line = array(p->versions);
    c.count = array(p->keys);
    c.place = array(p->versions);
    c.waiting = array((size_t)p->keys + p->n);
    c.stamp = array(p->sessions);
    c.edge = array(p->n);
    c.key_read = array(p->keys);
    c.key_of = array(p->keys);
    c.read_before = array(p->rd_start[p->n]);
    c.stuck = mem_calloc((size_t)p->sessions + 1, sizeof *c.stuck);
    start(&c);
    bool through = run(&c);
    void *all[] = {c.hint,  c.next, c.line,  c.count,    c.place,  c.waiting,
                   c.stamp, c.edge, c.stuck, c.key_read, c.key_of, c.read_before};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    vec_free(&c.ready);
    vec_free(&c.waiters);
    vec_free(&c.states);
    vec_free(&c.edges);
    map_free(&c.useless);
    return through && vis_follows(w);
}
