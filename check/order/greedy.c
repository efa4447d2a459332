/* Greedy replay; see greedy.h.
 *
 * A node is *free* when its predecessors in the known graph have run.  Then
 *   a begin may run if what it reads is current (true for settled reads: a version with pending
 *     readers is never overwritten) and, SI, nobody else holds a write lock that it needs;
 *   a commit may run if the versions that it overwrites have no pending readers but itself.
 * A free node that may not run waits for one key that stops it and is tried again when that key
 * changes.  Among nodes that may run, those that cannot block others go first: commits, then
 * transactions that only read, then by topological rank.  SI: a begin after which the commit could
 * not follow at once holds its locks for long and is put off while anything else can run. */
#include "check/order/greedy.h"

#include <assert.h>

#include "base/heap.h"
#include "base/limit.h"
#include "check/problem/aggregate.h"

struct greedy {
    struct pg *g;
    uint32_t *current; /* per key: version */
    uint32_t *pending; /* per version: settled reads that did not begin yet */
    uint32_t *lock;    /* per key: the transaction that began and will write it, or HIST_NONE */
    uint32_t *waiting; /* per key: first of the nodes that wait for it */
    uint32_t *wait_next;
    heap_u64 ready; /* nodes by priority */
    uint32_t *order, done;
    /* Aggregates: those of a transaction are a list; which keys they are about.  Who waits for one
     * waits for a key of its own, behind the others. */
    uint32_t *aggregate, *aggregate_next;
    uint8_t *aggregate_key;
    VEC(uint32_t) held; /* begins that are put off for now */
};

/* --- the ready nodes -------------------------------------------------------------------------- */

static uint64_t priority(const struct greedy *s, uint32_t u)
{
    const struct pg *g = s->g;
    const struct prob *p = g->p;
    if (u >= g->txn_nodes)
        return u;
    uint32_t t = pg_txn(g, u);
    bool harmless = p->wr_start[t] == p->wr_start[t + 1] || (g->map != PG_SER && u % 2);
    return (harmless ? 0 : (uint64_t)(g->rank[u] + 1) << 32) | u;
}

static void set_ready(struct greedy *s, uint32_t u)
{
    heap_push(&s->ready, priority(s, u));
}

/* --- what stops a node ------------------------------------------------------------------------ */

static void wait_for(struct greedy *s, uint32_t u, uint32_t key)
{
    s->wait_next[u] = s->waiting[key];
    s->waiting[key] = u;
}

static void wake(struct greedy *s, uint32_t key)
{
    uint32_t u = s->waiting[key];
    s->waiting[key] = HIST_NONE;
    while (u != HIST_NONE) {
        uint32_t next = s->wait_next[u];
        set_ready(s, u);
        u = next;
    }
}

static bool sees(const struct greedy *s, uint32_t read)
{
    const struct prob *p = s->g->p;
    uint32_t now = s->current[p->rd_key[read]];
    if (!(p->rd_ver[read] & PROB_CHOICE))
        return p->rd_ver[read] == now;
    const struct match_choice *c = &p->choices.data[p->rd_ver[read] & ~PROB_CHOICE];
    for (uint32_t i = 0; i < c->len; i++)
        if (p->cand.data[c->start + i] == now)
            return true;
    return false;
}

/* How many aggregates of the transaction do not hold? */
static uint32_t wrong_joints(const struct greedy *s, uint32_t t)
{
    const struct prob *p = s->g->p;
    uint32_t wrong = 0;
    for (uint32_t j = s->aggregate ? s->aggregate[t] : HIST_NONE; j != HIST_NONE;
         j = s->aggregate_next[j])
        wrong += !aggregate_holds_now(p, &p->aggregates.data[j], s->current);
    return wrong;
}

/* The key that keeps a node from running, or HIST_NONE. */
static uint32_t stopped_by(const struct greedy *s, uint32_t u)
{
    const struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t t = pg_txn(g, u);
    if (u == pg_begin(g, t)) {
        for (uint32_t i = p->rd_start[t]; i < p->rd_start[t + 1]; i++)
            if (!sees(s, i))
                return p->rd_key[i];
        if (wrong_joints(s, t))
            return p->keys;
        for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && g->map == PG_SI; i++)
            if (s->lock[p->ver_key[p->wr_ver[i]]] != HIST_NONE)
                return p->ver_key[p->wr_ver[i]];
    }
    if (u != pg_commit(g, t))
        return HIST_NONE;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]], readers = s->pending[s->current[key]];
        if (g->map == PG_SER && readers == 1)
            for (uint32_t r = p->rd_start[t]; r < p->rd_start[t + 1]; r++)
                readers -= p->rd_ver[r] == s->current[key];
        if (readers)
            return key;
    }
    return HIST_NONE;
}

/* --- running ---------------------------------------------------------------------------------- */

static void run_begin(struct greedy *s, uint32_t t)
{
    const struct pg *g = s->g;
    const struct prob *p = g->p;
    for (uint32_t i = p->rd_start[t]; i < p->rd_start[t + 1]; i++) {
        if (p->rd_ver[i] & PROB_CHOICE)
            continue;
        /* One left: perhaps it is a waiting transaction's own. */
        if (--s->pending[p->rd_ver[i]] <= 1)
            wake(s, p->rd_key[i]);
    }
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && g->map == PG_SI; i++)
        s->lock[p->ver_key[p->wr_ver[i]]] = t;
}

static void run_commit(struct greedy *s, uint32_t t)
{
    const struct prob *p = s->g->p;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t key = p->ver_key[p->wr_ver[i]];
        s->current[key] = p->wr_ver[i];
        s->lock[key] = HIST_NONE;
        wake(s, key);
        if (s->aggregate_key && s->aggregate_key[key])
            wake(s, p->keys);
    }
}

static void run_node(struct greedy *s, uint32_t u)
{
    struct pg *g = s->g;
    uint32_t t = pg_txn(g, u);
    s->order[s->done++] = u;
    g->rank[u] = HIST_NONE;
    if (u < g->txn_nodes && !(g->p->maybe && g->p->maybe[t])) {
        if (u == pg_begin(g, t))
            run_begin(s, t);
        if (u == pg_commit(g, t))
            run_commit(s, t);
    }
    pg_successors(g, u);
    for (size_t i = 0; i < g->scratch.len; i++)
        if (!--g->degree[g->scratch.data[i]])
            set_ready(s, g->scratch.data[i]);
}

static void index_joints(struct greedy *s)
{
    const struct prob *p = s->g->p;
    if (!p->aggregates.len)
        return;
    size_t bytes = ((size_t)p->n + 1) * sizeof *s->aggregate;
    s->aggregate = mem_alloc(bytes);
    memset(s->aggregate, 0xff, bytes);
    s->aggregate_next = mem_alloc(mem_mul(p->aggregates.len, sizeof *s->aggregate_next));
    s->aggregate_key = mem_calloc((size_t)p->keys + 1, 1);
    for (uint32_t j = 0; j < p->aggregates.len; j++) {
        uint32_t t = aggregate_txn(p, &p->aggregates.data[j]);
        s->aggregate_next[j] = s->aggregate[t];
        s->aggregate[t] = j;
    }
    for (size_t i = 0; i < p->aggregate_rows.len; i++) {
        const struct aggregate_row *row = &p->aggregate_rows.data[i];
        s->aggregate_key[p->rd_key[row->read]] = 1;
        if (row->turned != HIST_NONE)
            s->aggregate_key[p->rd_key[row->turned]] = 1;
    }
}

static void start(struct greedy *s)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    for (uint32_t k = 0; k < p->keys; k++) {
        s->current[k] = p->ver_start[k];
        s->lock[k] = s->waiting[k] = HIST_NONE;
    }
    s->waiting[p->keys] = HIST_NONE;
    index_joints(s);
    for (uint32_t i = 0; i < p->rd_start[p->n]; i++)
        if (!(p->rd_ver[i] & PROB_CHOICE))
            s->pending[p->rd_ver[i]]++;
    pg_count_degrees(g);
    for (uint32_t u = 0; u < g->nodes; u++)
        if (!g->degree[u])
            set_ready(s, u);
}

/* SI: could the commit follow the begin at once? */
static bool commits_at_once(const struct greedy *s, uint32_t u)
{
    const struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t t = pg_txn(g, u);
    if (g->map != PG_SI || u != pg_begin(g, t) || p->wr_start[t] == p->wr_start[t + 1])
        return true;
    if (g->degree[u + 1] > 1)
        return false;
    for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
        uint32_t now = s->current[p->ver_key[p->wr_ver[i]]], readers = s->pending[now];
        for (uint32_t r = p->rd_start[t]; readers && r < p->rd_start[t + 1]; r++)
            readers -= p->rd_ver[r] == now;
        if (readers)
            return false;
    }
    return true;
}

/* A node that may run, or HIST_NONE. */
static uint32_t next_node(struct greedy *s)
{
    enum { MOST = 64 }; /* how many to put off before we take what there is */
    struct pg *g = s->g;
    uint32_t found = HIST_NONE;
    vec_clear(&s->held);
    while (s->ready.len && found == HIST_NONE) {
        uint32_t u = (uint32_t)heap_pop(&s->ready);
        bool real = u < g->txn_nodes && !(g->p->maybe && g->p->maybe[pg_txn(g, u)]);
        uint32_t key = real ? stopped_by(s, u) : HIST_NONE;
        if (key != HIST_NONE)
            wait_for(s, u, key);
        else if (!real || commits_at_once(s, u) || s->held.len == MOST)
            found = u;
        else
            vec_push(&s->held, u);
    }
    size_t first = found == HIST_NONE && s->held.len;
    if (first)
        found = s->held.data[0];
    for (size_t i = first; i < s->held.len; i++)
        set_ready(s, s->held.data[i]);
    return found;
}

static bool replay(struct greedy *s)
{
    start(s);
    for (uint32_t steps = 0; steps & 1023 || !limit_reached(); steps++) {
        uint32_t u = next_node(s);
        if (u == HIST_NONE)
            break;
        run_node(s, u);
    }
    return s->done == s->g->nodes;
}

bool greedy_replay(struct pg *g, uint32_t *order)
{
    const struct prob *p = g->p;
    struct greedy s = {.g = g, .order = order};
    limit_step("looking for a serial order");
    uint32_t *rank = mem_alloc(mem_mul(g->nodes + 1, sizeof *rank));
    memcpy(rank, g->rank, g->nodes * sizeof *rank);
    s.current = mem_alloc(mem_mul(p->keys + 1, sizeof *s.current));
    s.lock = mem_alloc(mem_mul(p->keys + 1, sizeof *s.lock));
    s.waiting = mem_alloc(mem_mul(p->keys + 1, sizeof *s.waiting));
    s.pending = mem_calloc(p->versions + 1, sizeof *s.pending);
    s.wait_next = mem_alloc(mem_mul(g->nodes + 1, sizeof *s.wait_next));
    bool through = replay(&s);
    for (uint32_t i = 0; i < g->nodes; i++)
        if (g->rank[g->order[i]] != HIST_NONE)
            order[s.done++] = g->order[i];
    memcpy(g->rank, rank, g->nodes * sizeof *rank);
    mem_free(rank);
    mem_free(s.current);
    mem_free(s.lock);
    mem_free(s.waiting);
    mem_free(s.pending);
    mem_free(s.wait_next);
    vec_free(&s.ready);
    mem_free(s.aggregate);
    mem_free(s.aggregate_next);
    mem_free(s.aggregate_key);
    vec_free(&s.held);
    return through;
}

uint32_t greedy_misses(struct pg *g, const uint32_t *order)
{
    const struct prob *p = g->p;
    struct greedy s = {.g = g};
    uint32_t misses = 0;
    s.current = mem_alloc(mem_mul(p->keys + 1, sizeof *s.current));
    for (uint32_t k = 0; k < p->keys; k++)
        s.current[k] = p->ver_start[k];
    index_joints(&s);
    for (uint32_t n = 0; n < g->nodes; n++) {
        uint32_t u = order[n], t = pg_txn(g, u);
        if (u >= g->txn_nodes || (p->maybe && p->maybe[t]))
            continue;
        for (uint32_t i = p->rd_start[t]; i < p->rd_start[t + 1] && u == pg_begin(g, t); i++)
            misses += !sees(&s, i);
        if (u == pg_begin(g, t))
            misses += wrong_joints(&s, t);
        for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1] && u == pg_commit(g, t); i++)
            s.current[p->ver_key[p->wr_ver[i]]] = p->wr_ver[i];
    }
    mem_free(s.current);
    mem_free(s.aggregate);
    mem_free(s.aggregate_next);
    mem_free(s.aggregate_key);
    return misses;
}
