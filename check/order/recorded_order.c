/* The recorded order; see recorded_order.h.
 *
 * With the order of commits fixed, the versions of every key are in that order.  SER: a read must
 * see the current version.  SI and PC: a begin only has to come after some commits (of the
 * transactions that it read from, of its session, and for SI of those whose versions it overwrites)
 * and before others (of those that overwrite what it read), so it is placed right after the last of
 * the former. */
#include "check/order/recorded_order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/heap.h"

struct recorded {
    const struct prob *p;
    const struct hist_times *times; /* of all commits, or NULL */
    uint32_t *txns, *pos;           /* in order; per transaction, from 1 */
    uint32_t *before, *after; /* per version: the version before it; who overwrote it, from 1 */
    uint32_t *slot;           /* per transaction: its begin follows this commit */
};

static bool applies(const struct prob *p, const struct check_options *o)
{
    enum model_id m = p->level.model;
    return (m == MODEL_SER || m == MODEL_SI || m == MODEL_PC) && !o->always_solve && !o->no_guess &&
           p->level.real_time == LEVEL_NO_TIME && !p->choices.len && !p->maybe &&
           !p->aggregates.len && !p->ver_prev && !p->known.len && !p->h->version_orders.len &&
           !p->h->predicates.len;
}

static int by_time(const void *a, const void *b, void *recorded)
{
    const struct recorded *g = recorded;
    uint32_t x = g->p->hist[*(const uint32_t *)a], y = g->p->hist[*(const uint32_t *)b];
    if (g->times && g->times[x].commit_answered != g->times[y].commit_answered)
        return g->times[x].commit_answered < g->times[y].commit_answered ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* By the time of their ends, if all have one; else as they stand in the history. */
static void sort_txns(struct recorded *g)
{
    const struct prob *p = g->p;
    const struct history *h = p->h;
    uint32_t *at = mem_alloc(mem_mul(h->txns.len + 1, sizeof *at)), n = 0;
    memset(at, 0xff, h->txns.len * sizeof *at);
    g->times = h->times;
    for (uint32_t t = 0; t < p->n; t++) {
        at[p->hist[t]] = t;
        if (g->times && g->times[p->hist[t]].commit_answered == HIST_NO_TIME)
            g->times = NULL;
    }
    bool sorted = true;
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < h->txns.len; i++)
        if (at[i] != HIST_NONE) {
            g->txns[n++] = at[i];
            int64_t time = g->times ? g->times[i].commit_answered : 0;
            sorted &= last <= time;
            last = time;
        }
    if (!sorted)
        qsort_r(g->txns, n, sizeof *g->txns, by_time, g);
    for (uint32_t i = 0; i < n; i++)
        g->pos[g->txns[i]] = i + 1;
    mem_free(at);
}

/* The transaction before it in its session, or HIST_NONE. */
static uint32_t session_before(const struct prob *p, uint32_t t)
{
    return p->level.session_order && t && p->session[t - 1] == p->session[t] ? t - 1 : HIST_NONE;
}

/* The versions in the order of commits.  False: a transaction comes before its session's previous
 * one, or (SER) does not see what is current. */
static bool lay_versions(struct recorded *g)
{
    const struct prob *p = g->p;
    uint32_t *current = mem_alloc(mem_mul((size_t)p->keys + 1, sizeof *current));
    bool fine = true;
    for (uint32_t k = 0; k < p->keys; k++)
        current[k] = p->ver_start[k];
    for (uint32_t i = 0; i < p->n && fine; i++) {
        uint32_t t = g->txns[i], last = session_before(p, t);
        fine = last == HIST_NONE || g->pos[last] < i + 1;
        for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1] && p->level.model == MODEL_SER;
             r++)
            fine &= current[p->rd_key[r]] == p->rd_ver[r];
        for (uint32_t w = p->wr_start[t]; w < p->wr_start[t + 1]; w++) {
            uint32_t v = p->wr_ver[w], key = p->ver_key[v];
            g->before[v] = current[key];
            g->after[current[key]] = i + 1;
            current[key] = v;
        }
    }
    mem_free(current);
    return fine;
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t commit_of(const struct recorded *g, uint32_t version)
{
    uint32_t t = g->p->ver_txn[version];
    return t == PROB_INIT ? 0 : g->pos[t];
}

/* Right behind the last commit that it must follow; false: one that it must precede is not later.
 */
static bool place_begin(struct recorded *g, uint32_t t)
{
    const struct prob *p = g->p;
    uint32_t last = session_before(p, t), slot = last == HIST_NONE ? 0 : g->pos[last];
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
        slot = later(slot, commit_of(g, p->rd_ver[r]));
    for (uint32_t w = p->wr_start[t]; w < p->wr_start[t + 1] && p->level.model == MODEL_SI; w++)
        slot = later(slot, commit_of(g, g->before[p->wr_ver[w]]));
    g->slot[t] = slot;
    for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
        if (g->after[p->rd_ver[r]] && g->after[p->rd_ver[r]] <= slot)
            return false;
    return slot < g->pos[t];
}

static bool place_begins(struct recorded *g)
{
    for (uint32_t i = 0; i < g->p->n; i++)
        if (!place_begin(g, g->txns[i]))
            return false;
    return true;
}

/* Begins by the commit that they follow, then commits: a counting sort. */
static void write_events(const struct recorded *g, struct check_result *r)
{
    const struct prob *p = g->p;
    uint32_t *start = mem_calloc((size_t)p->n + 2, sizeof *start), at = 0;
    uint32_t *begins = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *begins));
    for (uint32_t t = 0; t < p->n; t++)
        start[g->slot[t] + 1]++;
    for (uint32_t i = 0; i <= p->n; i++)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < p->n; i++)
        begins[start[g->slot[g->txns[i]]]++] = g->txns[i];
    for (uint32_t i = 0; i < p->n; i++) {
        for (; at < start[i]; at++) /* start[i]: now the end of those that follow commit i */
            vec_push(&r->order, 2 * p->hist[begins[at]]);
        vec_push(&r->order, 2 * p->hist[g->txns[i]] + 1);
    }
    mem_free(start);
    mem_free(begins);
}

static void write_order(const struct recorded *g, struct check_result *r)
{
    const struct prob *p = g->p;
    bool serial = p->level.model == MODEL_SER;
    vec_clear(&r->order);
    vec_reserve(&r->order, serial ? p->n : 2 * (size_t)p->n);
    for (uint32_t i = 0; i < p->n && serial; i++)
        vec_push(&r->order, p->hist[g->txns[i]]);
    if (!serial)
        write_events(g, r);
    r->order_kind = serial ? CHECK_SERIAL : CHECK_EVENTS;
    r->verdict = CHECK_OK;
}

bool recorded_order(const struct prob *p, const struct check_options *o, struct check_result *r)
{
    if (!applies(p, o))
        return false;
    struct recorded g = {.p = p};
    g.txns = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *g.txns));
    g.pos = mem_alloc(mem_mul((size_t)p->n + 1, sizeof *g.pos));
    g.slot = mem_calloc((size_t)p->n + 1, sizeof *g.slot);
    g.before = mem_alloc(mem_mul((size_t)p->versions + 1, sizeof *g.before));
    g.after = mem_calloc((size_t)p->versions + 1, sizeof *g.after);
    sort_txns(&g);
    bool fine = lay_versions(&g) && (p->level.model == MODEL_SER || place_begins(&g));
    if (fine)
        write_order(&g, r);
    mem_free(g.txns);
    mem_free(g.pos);
    mem_free(g.slot);
    mem_free(g.before);
    mem_free(g.after);
    return fine;
}

/* --- a guess ---------------------------------------------------------------------------------- */

void recorded_trail(const struct pg *g, const uint32_t *order, struct check_trail *out)
{
    vec_clear(&out->events);
    for (uint32_t i = 0; i < g->nodes; i++) {
        uint32_t u = order[i];
        if (u >= g->txn_nodes)
            continue;
        uint32_t begin = 2 * g->p->hist[pg_txn(g, u)];
        if (g->map == PG_SER)
            vec_push(&out->events, begin);
        vec_push(&out->events, begin + (g->map == PG_SER || u & 1));
    }
}

/* Per node of a transaction: the place of its event in the trail.  A transaction may have more
 * parts now: they go where the last one went.  What the trail does not have comes last. */
static void follow_trail(const struct pg *g, const struct check_trail *trail, uint32_t *place)
{
    const struct prob *p = g->p;
    size_t events = 2 * p->h->txns.len, len = trail->events.len;
    uint32_t *next = mem_alloc(mem_mul(len + 1, sizeof *next)); /* the event's next occurrence */
    uint32_t *at = mem_alloc(mem_mul(events + 1, sizeof *at));
    memset(at, 0xff, events * sizeof *at);
    for (size_t i = len; i-- > 0;) {
        uint32_t e = trail->events.data[i];
        next[i] = e < events && at[e] != HIST_NONE ? at[e] : (uint32_t)i;
        if (e < events)
            at[e] = (uint32_t)i;
    }
    for (uint32_t u = 0; u < g->txn_nodes; u++) {
        uint32_t e = 2 * p->hist[pg_txn(g, u)] + (g->map == PG_SER || u & 1);
        place[u] = at[e];
        if (at[e] != HIST_NONE)
            at[e] = next[at[e]];
    }
    mem_free(next);
    mem_free(at);
}

static uint64_t recorded_at(const uint32_t *place, const struct pg *g, uint32_t node)
{
    return (uint64_t)(node < g->txn_nodes ? place[node] : 0) << 32 | node;
}

void recorded_guess(struct pg *g, const struct check_trail *trail, uint32_t *order)
{
    heap_u64 ready = {0};
    uint32_t len = 0, *place = mem_alloc(mem_mul((size_t)g->txn_nodes + 1, sizeof *place));
    for (uint32_t u = 0; u < g->txn_nodes && !trail; u++)
        place[u] = g->p->hist[pg_txn(g, u)];
    if (trail)
        follow_trail(g, trail, place);
    pg_count_degrees(g);
    for (uint32_t u = 0; u < g->nodes; u++)
        if (!g->degree[u])
            heap_push(&ready, recorded_at(place, g, u));
    while (ready.len) {
        uint32_t u = (uint32_t)heap_pop(&ready);
        order[len++] = u;
        pg_successors(g, u);
        for (size_t i = 0; i < g->scratch.len; i++)
            if (!--g->degree[g->scratch.data[i]])
                heap_push(&ready, recorded_at(place, g, g->scratch.data[i]));
    }
    assert(len == g->nodes);
    vec_free(&ready);
    mem_free(place);
}
