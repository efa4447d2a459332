/* Saturation with vector clocks; see saturate.h.
 *
 * Nodes are visited in a topological order; a visit finds the clock of its node complete, applies
 * the rules to it and hands the clock on to its successors.  A derived edge changes the clock of
 * its head at once; if the head has already been visited in this round, it is visited again in the
 * next one.  Only nodes whose clock changed are visited again.
 *
 * Rules, for a key x, in the terms of polygraph.h:
 *   R1  T read x from W, another writer V of x reaches B(T)      ⇒  V before W
 *   R2  V, W write x, V before W is forced                       ⇒  the edges of "V before W"
 * "V before W is forced" means: SER, V reaches W; SI, B(V) reaches C(W), because the other order
 * needs C(W)→B(V); PC, C(V) reaches C(W).  R1 makes V reach W, so R2 covers its consequences.  R2
 * looks at the latest V of each chain, and of these only at the maximal ones: whatever V's own
 * predecessors imply is implied through V. */
#include "check/graph/saturate.h"

#include <assert.h>

#include "base/limit.h"
#include "check/graph/ranked_versions.h"
#include "check/graph/saturate_internal.h"

/* --- clocks ----------------------------------------------------------------------------------- */

static uint32_t longest_chain(const struct pg *g)
{
    uint32_t most = 0;
    for (uint32_t u = 0; u < g->nodes; u++)
        most = g->pos[u] >= most ? g->pos[u] + 1 : most;
    return most;
}

size_t saturate_memory(const struct pg *g)
{
    return clocks_memory(g->nodes, g->chains, longest_chain(g));
}

static void start_clocks(struct pg *g)
{
    clocks_init(&g->clocks, g->nodes, g->chains, longest_chain(g));
    for (uint32_t u = 0; u < g->nodes; u++)
        clocks_set(&g->clocks, u, g->chain[u], g->pos[u] + 1);
}

void saturate_touch(struct saturation *s, uint32_t u)
{
    s->dirty[u] = 1;
    if (s->g->rank[u] <= s->at)
        s->behind = true;
}

/* A node that knows of a later one of its own chain is on a cycle. */
void saturate_flow(struct saturation *s, uint32_t from, uint32_t to)
{
    struct pg *g = s->g;
    if (!clocks_merge(&g->clocks, to, from))
        return;
    saturate_touch(s, to);
    if (clocks_entry(&g->clocks, to, g->chain[to]) > g->pos[to] + 1)
        s->cycle = true;
}

static void derive(struct saturation *s, struct edge e)
{
    if (pg_reaches(s->g, e.from, e.to))
        return;
    pg_add_edge(s->g, e);
    s->stale |= s->g->rank[e.from] > s->g->rank[e.to];
    if (s->derive)
        saturate_flow(s, e.from, e.to);
}

/* --- rules ------------------------------------------------------------------------------------ */

uint32_t saturate_latest(const struct pg *g, uint32_t key, uint32_t i, uint32_t count,
                         uint32_t except)
{
    const struct prob *p = g->p;
    uint32_t first = g->groups.first[i], limit = p->chain[g->groups.chain[i]] + count;
    uint32_t at = match_first_from(p, first, groups_end(&g->groups, p, key, i), limit);
    while (at > first) {
        uint32_t t = p->ver_txn[--at];
        if (t != except && !(p->maybe && p->maybe[t]))
            return at;
    }
    return HIST_NONE;
}

/* How many transactions of a chain have their begin at or before a node with this entry; see
 * saturate_commits. */
static uint32_t begins(const struct pg *g, uint32_t entry)
{
    return g->map == PG_SER ? entry : (entry + 1) / 2;
}

/* Those of which R2 knows that they can only come before a node with this entry. */
static uint32_t before(const struct pg *g, uint32_t entry)
{
    return g->map == PG_SI ? begins(g, entry) : saturate_commits(g, entry);
}

static void near_reset(struct saturation *s)
{
    const struct pg *g = s->g;
    for (uint32_t k = 0; k < g->p->keys; k++)
        for (uint32_t i = g->groups.start[k]; i < g->groups.start[k + 1]; i++)
            s->near[i] = (struct near){g->groups.chain[i], HIST_NONE, 0,
                                       g->p->ver_txn[g->groups.first[i]], 0};
}

static void near_set(struct saturation *s, uint32_t key, uint32_t i, uint32_t v)
{
    const struct pg *g = s->g;
    const struct prob *p = g->p;
    struct near *n = &s->near[i];
    uint32_t next = v == HIST_NONE ? g->groups.first[i] : v + 1;
    n->ver = v;
    n->txn = v == HIST_NONE ? 0 : p->ver_txn[v];
    n->rank = v == HIST_NONE ? 0 : g->rank[pg_commit(g, n->txn)];
    n->next = next < groups_end(&g->groups, p, key, i) ? p->ver_txn[next] : UINT32_MAX;
}

/* The latest version of the group by a transaction before `limit`: near[i] points to it. */
static const struct near *latest(struct saturation *s, uint32_t key, uint32_t i, uint32_t limit)
{
    struct near *n = &s->near[i];
    if ((n->ver == HIST_NONE || n->txn < limit) && limit <= n->next)
        return n;
    const struct prob *p = s->g->p;
    if (!p->maybe && n->next < limit) {
        uint32_t v = n->ver == HIST_NONE ? s->g->groups.first[i] : n->ver + 1;
        if (v + 1 == groups_end(&s->g->groups, p, key, i) || p->ver_txn[v + 1] >= limit) {
            near_set(s, key, i, v);
            return n;
        }
    }
    uint32_t first = p->chain[n->chain];
    near_set(s, key, i,
             limit > first ? saturate_latest(s->g, key, i, limit - first, PROB_INIT) : HIST_NONE);
    return n;
}

/* Transactions of the chain that count as before: those below the limit, itself excluded. */
static uint32_t limit_of(const struct prob *p, uint32_t chain, uint32_t count, uint32_t txn)
{
    uint32_t limit = p->chain[chain] + count;
    return chain == p->session[txn] && limit > txn ? txn : limit;
}

static void rule_read(struct saturation *s, uint32_t read)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t v = p->rd_ver[read], key = p->rd_key[read], reader = p->rd_txn[read];
    uint32_t writer = p->ver_txn[v];
    if (writer == PROB_INIT)
        return; /* R2 at the first writers covers it */
    const struct clocks *k = &g->clocks;
    uint32_t now = pg_begin(g, reader), then = pg_ww_head(g, writer);
    for (uint32_t i = g->groups.start[key]; i < g->groups.start[key + 1]; i++) {
        uint32_t c = s->near[i].chain, seen = saturate_commits(g, clocks_entry(k, now, c));
        uint32_t known = saturate_commits(g, clocks_entry(k, then, c));
        if (seen <= known)
            continue;
        const struct near *n = latest(s, key, i, limit_of(p, c, seen, reader));
        if (n->ver != HIST_NONE && n->txn >= p->chain[c] + known && n->ver != v)
            derive(s, (struct edge){pg_commit(g, n->txn), then, n->ver, v, CHECK_WW});
    }
}

/* The edges of "a before b". */
static void derive_order(struct saturation *s, uint32_t a, uint32_t b)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t w = p->ver_txn[b];
    if (p->ver_txn[a] != PROB_INIT)
        derive(s, (struct edge){pg_commit(g, p->ver_txn[a]), pg_ww_head(g, w), a, b, CHECK_WW});
    struct pg_readers i = pg_readers(g, a);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;) {
        uint32_t t = p->rd_txn[r];
        /* Of the readers of one session the last one speaks for all. */
        if (t == w || (i.at < i.end && p->session[p->rd_txn[*i.at]] == p->session[t] &&
                       p->rd_txn[*i.at] != w))
            continue;
        derive(s, (struct edge){pg_begin(g, t), pg_commit(g, w), r, b, CHECK_RW});
    }
}

bool saturate_older(const struct pg *g, uint32_t a, uint32_t b)
{
    const struct prob *p = g->p;
    uint32_t v = p->ver_txn[a], w = p->ver_txn[b];
    if (v == PROB_INIT || w == PROB_INIT)
        return v == PROB_INIT;
    return pg_reaches(g, g->map == PG_SI ? pg_begin(g, v) : pg_commit(g, v), pg_commit(g, w));
}

static void rule_write(struct saturation *s, uint32_t b)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t key = p->ver_key[b], w = p->ver_txn[b], top = HIST_NONE, rank = 0;
    const struct clocks *k = &g->clocks;
    vec_clear(&s->latest);
    for (uint32_t i = g->groups.start[key]; i < g->groups.start[key + 1]; i++) {
        uint32_t c = s->near[i].chain, count = before(g, clocks_entry(k, pg_commit(g, w), c));
        const struct near *n = count ? latest(s, key, i, limit_of(p, c, count, w)) : NULL;
        if (!n || n->ver == HIST_NONE)
            continue;
        vec_push(&s->latest, i);
        if (top == HIST_NONE || n->rank > rank) {
            top = i;
            rank = n->rank;
        }
    }
    if (top == HIST_NONE) {
        derive_order(s, p->ver_start[key], b);
        return;
    }
    uint32_t first = s->near[top].ver;
    uint32_t then = pg_commit(g, s->near[top].txn);
    derive_order(s, first, b);
    for (size_t i = 0; i < s->latest.len && !s->cycle; i++) {
        const struct near *n = &s->near[s->latest.data[i]];
        uint32_t known = before(g, clocks_entry(k, then, n->chain));
        if (n->ver != first && n->txn >= p->chain[n->chain] + known)
            derive_order(s, n->ver, b);
    }
}

/* --- rules along lines ------------------------------------------------------------------------ */

static bool is_maybe(const struct prob *p, uint32_t v)
{
    return p->maybe && p->maybe[p->ver_txn[v]];
}

/* R1: T read v, and a transaction of its past wrote x. */
static void order_seen(struct saturation *s, uint32_t read, uint32_t x)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t v = p->rd_ver[read], reader = p->rd_txn[read], t = p->ver_txn[x];
    if (t != reader && !is_maybe(p, x) && pg_reaches(g, pg_commit(g, t), pg_begin(g, reader)))
        derive(s, (struct edge){pg_commit(g, t), pg_ww_head(g, p->ver_txn[v]), x, v, CHECK_WW});
}

static void line_read(struct saturation *s, uint32_t read)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t v = p->rd_ver[read], key = p->rd_key[read];
    if (p->ver_txn[v] == PROB_INIT)
        return;
    uint32_t first = p->ver_start[key] + 1, end = p->ver_start[key + 1];
    uint32_t limit = g->rank[pg_begin(g, p->rd_txn[read])];
    for (uint32_t i = g->place[v] + 1; i < end && !s->cycle; i++) {
        if (g->rank[ranked_node(g, g->line[i])] >= limit)
            break;
        order_seen(s, read, g->line[i]);
    }
    for (uint32_t i = g->place[v]; i > first && !g->settled[v] && !s->cycle; i--) {
        uint32_t x = g->line[i - 1];
        if (g->settled[x] && saturate_older(g, x, v))
            break;
        order_seen(s, read, x);
    }
}

/* R2 for the version x: is it older than b, and not only because it is older than another? */
static bool is_latest(const struct saturation *s, uint32_t x)
{
    for (size_t i = 0; i < s->latest.len; i++)
        if (saturate_older(s->g, x, s->latest.data[i]))
            return false;
    return true;
}

static void line_write(struct saturation *s, uint32_t b)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t key = p->ver_key[b], first = p->ver_start[key] + 1, end = p->ver_start[key + 1];
    uint32_t at = g->place[b], i = at + 1, limit = g->rank[pg_commit(g, p->ver_txn[b])];
    bool gap = false;
    while (g->map == PG_SI && i < end && g->rank[ranked_node(g, g->line[i])] < limit)
        i++;
    vec_clear(&s->latest);
    for (; i > first; i--) {
        uint32_t x = g->line[i - 1];
        if (x == b || is_maybe(p, x))
            continue;
        bool older = saturate_older(g, x, b);
        gap |= !older && i - 1 < at;
        if (older && is_latest(s, x))
            vec_push(&s->latest, x);
        if (older && g->settled[x])
            break;
    }
    g->settled[b] = !gap;
    if (!s->latest.len)
        derive_order(s, p->ver_start[key], b);
    for (size_t j = 0; j < s->latest.len && !s->cycle; j++)
        derive_order(s, s->latest.data[j], b);
}

static void rules(struct saturation *s, uint32_t u)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    if (u >= g->txn_nodes)
        return;
    uint32_t t = pg_txn(g, u);
    if (p->maybe && p->maybe[t])
        return;
    if (u == pg_begin(g, t))
        for (uint32_t i = p->rd_start[t]; i < p->rd_start[t + 1]; i++)
            if (!(p->rd_ver[i] & PROB_CHOICE)) {
                if (g->line)
                    line_read(s, i);
                else
                    rule_read(s, i);
            }
    if (u == pg_commit(g, t))
        for (uint32_t i = p->wr_start[t]; i < p->wr_start[t + 1]; i++) {
            if (g->line)
                line_write(s, p->wr_ver[i]);
            else
                rule_write(s, p->wr_ver[i]);
        }
}

/* --- rounds ----------------------------------------------------------------------------------- */

#define VISIT 32 /* steps that the rules take for a node, about */

static void visit(struct saturation *s, uint32_t u)
{
    struct pg *g = s->g;
    s->dirty[u] = 0;
    if (s->derive)
        rules(s, u);
    pg_successors(g, u);
    for (size_t i = 0; i < g->scratch.len; i++)
        __builtin_prefetch(clocks_row(&g->clocks, g->scratch.data[i]), 1);
    for (size_t i = 0; i < g->scratch.len && !s->cycle; i++)
        saturate_flow(s, u, g->scratch.data[i]);
    budget_spend(s->budget, VISIT + g->scratch.len * (2 + g->chains / 4));
}

static bool round_trip(struct saturation *s)
{
    struct pg *g = s->g;
    s->behind = false;
    if (g->line)
        ranked_sort(g);
    else
        near_reset(s);
    for (s->at = 0; s->at < g->nodes && !s->cycle; s->at++) {
        uint32_t u = g->order[s->at];
        if (s->dirty[u])
            visit(s, u);
        if (budget_is_over(s->budget) || (!(s->at & 1023) && limit_reached()))
            return false;
    }
    return true;
}

/* Without deriving: only what the order of versions that is known anyway brings, for residual.c
 * leaves that out. */
static enum saturate_outcome add_known_orders(struct saturation *s)
{
    const struct prob *p = s->g->p;
    for (uint32_t v = 0; v < p->versions; v++)
        if (p->ver_txn[v] != PROB_INIT && !(p->maybe && p->maybe[p->ver_txn[v]]))
            rule_write(s, v);
    return pg_sort(s->g) ? SATURATE_FIXPOINT : SATURATE_CYCLE;
}

/* In a line, what became known against the ranks of a round may have been overlooked.  residual.c
 * rests on it, so in the end everything is looked at once more with ranks that agree with
 * everything. */
static void look_again(struct saturation *s)
{
    s->overlooked |= s->stale;
    if (!s->g->line || s->behind || !s->overlooked)
        return;
    s->overlooked = false;
    s->behind = true;
    memset(s->dirty, 1, s->g->nodes);
}

static enum saturate_outcome run(struct saturation *s, struct stats *stats, uint32_t *witness)
{
    struct pg *g = s->g;
    do {
        do {
            if (stats)
                stats->saturation_rounds++;
            vec_push(&g->rounds, (uint32_t)g->edges.len);
            if (!round_trip(s))
                return SATURATE_STOPPED;
            if (s->cycle || (s->stale && !pg_sort(g)))
                return SATURATE_CYCLE;
            look_again(s);
            s->stale = false;
        } while (s->behind);
        s->at = g->nodes;
        s->behind = false;
        if (s->derive)
            budget_spend(s->budget, 2 * g->p->cand.len);
        if (s->derive && !saturate_choices(s, witness))
            return SATURATE_NO_SOURCE;
        if (s->derive && !s->cycle && !saturate_aggregates(s, witness))
            return SATURATE_NO_RESULT;
        if (s->cycle)
            return SATURATE_CYCLE;
    } while (s->behind);
    return SATURATE_FIXPOINT;
}

enum saturate_outcome saturate(struct pg *g, bool derive_edges, struct budget *b,
                               struct stats *stats, uint32_t *witness)
{
    struct saturation s = {.g = g, .budget = b, .derive = derive_edges};
    limit_step("saturation");
    s.dirty = mem_alloc(g->nodes + 1);
    s.near = mem_alloc(mem_mul((size_t)g->groups.start[g->p->keys] + 1, sizeof *s.near));
    memset(s.dirty, 1, g->nodes + 1);
    s.aggregate_left = mem_calloc(g->p->aggregates.len + 1, sizeof *s.aggregate_left);
    s.aggregate_most = mem_alloc(mem_mul(g->p->aggregates.len + 1, sizeof *s.aggregate_most));
    memset(s.aggregate_most, 0xff, (g->p->aggregates.len + 1) * sizeof *s.aggregate_most);
    start_clocks(g);
    if (derive_edges && ranked_wanted(g))
        ranked_sort(g);
    enum saturate_outcome o = run(&s, stats, witness);
    if (o == SATURATE_FIXPOINT && !derive_edges)
        o = add_known_orders(&s);
    mem_free(s.dirty);
    mem_free(s.near);
    mem_free(s.aggregate_left);
    mem_free(s.aggregate_most);
    vec_free(&s.latest);
    return o;
}
