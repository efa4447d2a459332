/* Saturation with vector clocks; see saturate.h.
 *
 * Nodes are visited in a topological order; a visit finds the clock of its node complete, applies
 * the rules to it and hands the clock on to its successors.  A derived edge changes the
 * clock of its head at once; if the head lies behind us in the order, it is visited in the next
 * round.  Only nodes whose clock changed are visited again.
 *
 * Rules, for a key x, in the terms of polygraph.h:
 *   R1  T read x from W, another writer V of x reaches B(T)      ⇒  V before W
 *   R2  V, W write x, V before W can only be                     ⇒  the edges of "V before W"
 * "V before W can only be": SER, V reaches W; SI, B(V) reaches C(W), for the other order needs
 * C(W)→B(V); PC, C(V) reaches C(W).  R1 makes V reach W, so R2 covers what follows from it.
 * R2 looks at the latest V of each chain, and of these only at the maximal ones:
 * what V's own predecessors imply is implied through V. */
#include "history/saturate.h"

#include <assert.h>

#include "base/limit.h"
#include "history/lines.h"
#include "history/joint.h"

/* Where the last question about a group of versions was answered: `txn` wrote `ver`, `next` writes
 * the version after it.  Questions come nearly in order, so the answer mostly is the same or the
 * next one, and these few words are all that has to be looked at. */
struct near {
    uint32_t chain;
    uint32_t ver; /* HIST_NONE: before the first */
    uint32_t txn, next;
    uint32_t rank; /* of the commit of txn */
};

struct saturation {
    struct pg *g;
    struct near *near; /* per group */
    uint8_t *dirty;
    uint32_t at; /* position in g->order */
    bool behind; /* a node at or before `at` became dirty */
    bool stale;  /* an edge was added that g->order does not agree with */
    bool cycle;
    bool overlooked;      /* see look_again */
    bool derive;          /* apply the rules */
    VEC(uint32_t) latest; /* R2: groups that have a candidate; along lines: versions */
    /* Per aggregate: how many candidates it had when last looked at; with more than so many it is
     * too large. */
    uint64_t *joint_left, *joint_most;
};

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

static void touch(struct saturation *s, uint32_t u)
{
    s->dirty[u] = 1;
    if (s->g->rank[u] <= s->at)
        s->behind = true;
}

/* A node that knows of a later one of its own chain is on a cycle. */
static void flow(struct saturation *s, uint32_t from, uint32_t to)
{
    struct pg *g = s->g;
    if (!clocks_merge(&g->clocks, to, from))
        return;
    touch(s, to);
    if (clocks_entry(&g->clocks, to, g->chain[to]) > g->pos[to] + 1)
        s->cycle = true;
}

static void derive(struct saturation *s, uint32_t from, uint32_t to, enum pg_why why, uint32_t a,
                   uint32_t b)
{
    if (pg_reaches(s->g, from, to))
        return;
    pg_add_edge(s->g, from, to, why, a, b);
    s->stale |= s->g->rank[from] > s->g->rank[to];
    if (s->derive)
        flow(s, from, to);
}

/* --- rules ------------------------------------------------------------------------------------ */

static uint32_t group_end(const struct pg *g, uint32_t key, uint32_t i)
{
    return i + 1 < g->group_start[key + 1] ? g->group_first[i + 1] : g->p->ver_start[key + 1];
}

uint32_t saturate_latest(const struct pg *g, uint32_t key, uint32_t i, uint32_t count,
                         uint32_t except)
{
    const struct prob *p = g->p;
    uint32_t lo = g->group_first[i], hi = group_end(g, key, i), first = lo;
    uint32_t limit = p->chain[g->group_chain[i]] + count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->ver_txn[mid] < limit)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo > first) {
        uint32_t t = p->ver_txn[--lo];
        if (t != except && !(p->maybe && p->maybe[t]))
            return lo;
    }
    return HIST_NONE;
}

/* How many transactions of a chain have their commit (begin) at or before a node with this entry.
 */
static uint32_t commits(const struct pg *g, uint32_t entry)
{
    return g->map == PG_SER ? entry : entry / 2;
}

static uint32_t begins(const struct pg *g, uint32_t entry)
{
    return g->map == PG_SER ? entry : (entry + 1) / 2;
}

/* Those of which R2 knows that they can only come before a node with this entry. */
static uint32_t before(const struct pg *g, uint32_t entry)
{
    return g->map == PG_SI ? begins(g, entry) : commits(g, entry);
}

static void near_reset(struct saturation *s)
{
    const struct pg *g = s->g;
    for (uint32_t k = 0; k < g->p->keys; k++)
        for (uint32_t i = g->group_start[k]; i < g->group_start[k + 1]; i++)
            s->near[i] =
                (struct near){g->group_chain[i], HIST_NONE, 0, g->p->ver_txn[g->group_first[i]], 0};
}

static void near_set(struct saturation *s, uint32_t key, uint32_t i, uint32_t v)
{
    const struct pg *g = s->g;
    const struct prob *p = g->p;
    struct near *n = &s->near[i];
    uint32_t next = v == HIST_NONE ? g->group_first[i] : v + 1;
    n->ver = v;
    n->txn = v == HIST_NONE ? 0 : p->ver_txn[v];
    n->rank = v == HIST_NONE ? 0 : g->rank[pg_commit(g, n->txn)];
    n->next = next < group_end(g, key, i) ? p->ver_txn[next] : UINT32_MAX;
}

/* The latest version of the group by a transaction before `limit`: near[i] points to it. */
static const struct near *latest(struct saturation *s, uint32_t key, uint32_t i, uint32_t limit)
{
    struct near *n = &s->near[i];
    if ((n->ver == HIST_NONE || n->txn < limit) && limit <= n->next)
        return n;
    const struct prob *p = s->g->p;
    if (!p->maybe && n->next < limit) {
        uint32_t v = n->ver == HIST_NONE ? s->g->group_first[i] : n->ver + 1;
        if (v + 1 == group_end(s->g, key, i) || p->ver_txn[v + 1] >= limit) {
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
    for (uint32_t i = g->group_start[key]; i < g->group_start[key + 1]; i++) {
        uint32_t c = s->near[i].chain, seen = commits(g, clocks_entry(k, now, c));
        uint32_t known = commits(g, clocks_entry(k, then, c));
        if (seen <= known)
            continue;
        const struct near *n = latest(s, key, i, limit_of(p, c, seen, reader));
        if (n->ver != HIST_NONE && n->txn >= p->chain[c] + known && n->ver != v)
            derive(s, pg_commit(g, n->txn), pg_ww_head(g, writer), PG_WW, n->ver, v);
    }
}

/* The edges of "a before b". */
static void derive_order(struct saturation *s, uint32_t a, uint32_t b)
{
    struct pg *g = s->g;
    const struct prob *p = g->p;
    uint32_t w = p->ver_txn[b];
    if (p->ver_txn[a] != PROB_INIT)
        derive(s, pg_commit(g, p->ver_txn[a]), pg_ww_head(g, w), PG_WW, a, b);
    struct pg_readers i = pg_readers(g, a);
    for (uint32_t r; (r = pg_next_reader(g, &i)) != HIST_NONE;) {
        uint32_t t = p->rd_txn[r];
        /* Of the readers of one session the last one speaks for all. */
        if (t == w || (i.at < i.end && p->session[p->rd_txn[*i.at]] == p->session[t] &&
                       p->rd_txn[*i.at] != w))
            continue;
        derive(s, pg_begin(g, t), pg_commit(g, w), PG_RW, r, b);
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
    for (uint32_t i = g->group_start[key]; i < g->group_start[key + 1]; i++) {
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
        derive(s, pg_commit(g, t), pg_ww_head(g, p->ver_txn[v]), PG_WW, x, v);
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
        if (g->rank[lines_node(g, g->line[i])] >= limit)
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
    while (g->map == PG_SI && i < end && g->rank[lines_node(g, g->line[i])] < limit)
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

/* --- choices ---------------------------------------------------------------------------------- */

/* Can the read have seen this version?  Not if the writer comes later, and not if some writer in
 * the reader's past has surely overwritten it. */
static bool possible(const struct pg *g, uint32_t read, uint32_t v)
{
    const struct prob *p = g->p;
    uint32_t reader = p->rd_txn[read], key = p->rd_key[read], w = p->ver_txn[v];
    uint32_t node = pg_begin(g, reader);
    if (w != PROB_INIT && pg_reaches(g, node, pg_commit(g, w)))
        return false;
    for (uint32_t i = g->group_start[key]; i < g->group_start[key + 1]; i++) {
        uint32_t count = commits(g, clocks_entry(&g->clocks, node, g->group_chain[i]));
        uint32_t o = count ? saturate_latest(g, key, i, count, reader) : HIST_NONE;
        if (o != HIST_NONE && o != v && saturate_older(g, v, o))
            return false;
    }
    return true;
}

static void settle(struct saturation *s, uint32_t read, uint32_t v)
{
    struct pg *g = s->g;
    struct prob *p = g->p;
    uint32_t w = p->ver_txn[v], key = p->rd_key[read], node = pg_begin(g, p->rd_txn[read]);
    p->rd_ver[read] = v;
    g->late_next[read] = g->late_head[v];
    g->late_head[v] = read;
    if (w != PROB_INIT) {
        /* Stored even if it is implied: it says that this read saw that write. */
        pg_add_edge(g, pg_commit(g, w), node, PG_WR, read, v);
        s->stale |= g->rank[pg_commit(g, w)] > g->rank[node];
        flow(s, pg_commit(g, w), node);
    }
    touch(s, node);
    for (uint32_t i = p->ver_start[key] + 1; i < p->ver_start[key + 1]; i++)
        touch(s, pg_commit(g, p->ver_txn[i]));
}

static void note_drop(struct saturation *s, uint32_t choice, uint32_t v, uint32_t joint)
{
    struct prob *p = s->g->p;
    if (p->joints.len)
        vec_push(&p->drops, ((struct match_drop){choice, v, joint, (uint32_t)s->g->edges.len}));
}

/* The candidates of a choice that stay are its first ones. */
static void drop_candidates(struct saturation *s, uint32_t c, uint32_t joint, joint_filter *stays,
                            void *arg)
{
    struct prob *p = s->g->p;
    struct match_choice *ch = &p->choices.data[c];
    uint32_t left = 0, *cand = p->cand.data + ch->start;
    for (uint32_t i = 0; i < ch->len; i++) {
        uint32_t v = cand[i];
        if (!stays(arg, ch->read, v)) {
            note_drop(s, c, v, joint);
            continue;
        }
        cand[i] = cand[left];
        cand[left++] = v;
    }
    ch->len = left;
}

static bool may_be_seen(void *arg, uint32_t read, uint32_t v)
{
    return possible(arg, read, v);
}

static void settle_last(struct saturation *s, struct match_choice *ch)
{
    const struct prob *p = s->g->p;
    bool maybe = p->maybe && p->maybe[p->rd_txn[ch->read]];
    uint32_t v = p->cand.data[ch->start], w = ch->len == 1 ? p->ver_txn[v] : PROB_INIT;
    if (ch->len == 1 && !maybe && (w == PROB_INIT || !p->maybe || !p->maybe[w])) {
        ch->settled = (uint32_t)s->g->edges.len;
        settle(s, ch->read, v);
    }
}

/* Drop candidates that became impossible; settle reads with one left.  False: none is left. */
static bool shrink_choices(struct saturation *s, uint32_t *witness)
{
    struct prob *p = s->g->p;
    for (uint32_t c = 0; c < p->choices.len; c++) {
        struct match_choice *ch = &p->choices.data[c];
        if (!(p->rd_ver[ch->read] & PROB_CHOICE))
            continue;
        drop_candidates(s, c, HIST_NONE, may_be_seen, s->g);
        if (ch->len == 0 && !(p->maybe && p->maybe[p->rd_txn[ch->read]])) {
            *witness = c;
            return false;
        }
        settle_last(s, ch);
    }
    return true;
}

/* --- aggregates ------------------------------------------------------------------------------- */

/* Of one row: which versions are on a path of the diagram. */
struct joint_stays {
    const struct prob *p;
    const struct joint_row *row;
    const struct diagram *d;
    uint32_t index;
    bool besides;
};

static bool on_path(void *arg, uint32_t read, uint32_t v)
{
    const struct joint_stays *j = arg;
    (void)read;
    return joint_allows(j->p, j->row, j->d, j->index, v, j->besides);
}

static uint32_t candidates_of(const struct prob *p, uint32_t read)
{
    uint32_t v = read == HIST_NONE ? 0 : p->rd_ver[read];
    return v & PROB_CHOICE ? p->choices.data[v & ~PROB_CHOICE].len : 1;
}

/* How many candidates the rows have in all: it has changed if there is something to do. */
static uint64_t candidates_left(const struct prob *p, const struct joint *j)
{
    uint64_t n = 0;
    for (uint32_t i = j->start; i < j->start + j->rows; i++)
        n += (uint64_t)candidates_of(p, p->joint_rows.data[i].read) +
             candidates_of(p, p->joint_rows.data[i].turned);
    return n;
}

static enum diagram_answer shrink_joint(struct saturation *s, uint32_t index)
{
    struct prob *p = s->g->p;
    const struct joint *j = &p->joints.data[index];
    struct diagram d;
    enum diagram_answer a = joint_diagram(p, j, NULL, NULL, &d);
    for (uint32_t i = 0; i < j->rows && a == DIAGRAM_FINE; i++) {
        const struct joint_row *row = &p->joint_rows.data[j->start + i];
        struct joint_stays stays = {p, row, &d, i, joint_besides(p, row, NULL, NULL)};
        uint32_t v = p->rd_ver[row->read], c = v & ~PROB_CHOICE;
        if (!(v & PROB_CHOICE))
            continue;
        drop_candidates(s, c, index, on_path, &stays);
        settle_last(s, &p->choices.data[c]);
    }
    diagram_free(&d);
    return a;
}

/* False: some aggregate cannot be had any more. */
static bool shrink_joints(struct saturation *s, uint32_t *witness)
{
    struct prob *p = s->g->p;
    for (uint32_t i = 0; i < p->joints.len && !s->cycle; i++) {
        const struct joint *j = &p->joints.data[i];
        uint64_t left = candidates_left(p, j);
        if ((p->maybe && p->maybe[joint_txn(p, j)]) || left == s->joint_left[i] ||
            left > s->joint_most[i])
            continue;
        enum diagram_answer a = shrink_joint(s, i);
        if (a == DIAGRAM_NONE) {
            *witness = i;
            return false;
        }
        s->joint_left[i] = candidates_left(p, j);
        if (a == DIAGRAM_TOO_MANY)
            s->joint_most[i] = left / 2;
    }
    return true;
}

/* --- rounds ----------------------------------------------------------------------------------- */

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
        flow(s, u, g->scratch.data[i]);
}

static bool round_trip(struct saturation *s)
{
    struct pg *g = s->g;
    s->behind = false;
    if (g->line)
        lines_sort(g);
    else
        near_reset(s);
    for (s->at = 0; s->at < g->nodes && !s->cycle; s->at++) {
        uint32_t u = g->order[s->at];
        if (s->dirty[u])
            visit(s, u);
        if (!(s->at & 1023) && limit_reached())
            return false;
    }
    return true;
}

/* Without deriving: only what the order of versions that is known anyway brings, for open.c leaves
 * that out. */
static enum saturate_outcome add_known_orders(struct saturation *s)
{
    const struct prob *p = s->g->p;
    for (uint32_t v = 0; v < p->versions; v++)
        if (p->ver_txn[v] != PROB_INIT && !(p->maybe && p->maybe[p->ver_txn[v]]))
            rule_write(s, v);
    return pg_sort(s->g) ? SATURATE_FIXPOINT : SATURATE_CYCLE;
}

/* In a line, what became known against the ranks of a round may have been overlooked.  open.c rests
 * on it, so in the end everything is looked at once more with ranks that agree with everything. */
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
        if (s->derive && !shrink_choices(s, witness))
            return SATURATE_NO_SOURCE;
        if (s->derive && !s->cycle && !shrink_joints(s, witness))
            return SATURATE_NO_RESULT;
        if (s->cycle)
            return SATURATE_CYCLE;
    } while (s->behind);
    return SATURATE_FIXPOINT;
}

enum saturate_outcome saturate(struct pg *g, bool derive_edges, struct stats *stats,
                               uint32_t *witness)
{
    struct saturation s = {.g = g, .derive = derive_edges};
    s.dirty = mem_alloc(g->nodes + 1);
    s.near = mem_alloc(mem_mul((size_t)g->group_start[g->p->keys] + 1, sizeof *s.near));
    memset(s.dirty, 1, g->nodes + 1);
    s.joint_left = mem_calloc(g->p->joints.len + 1, sizeof *s.joint_left);
    s.joint_most = mem_alloc(mem_mul(g->p->joints.len + 1, sizeof *s.joint_most));
    memset(s.joint_most, 0xff, (g->p->joints.len + 1) * sizeof *s.joint_most);
    start_clocks(g);
    if (derive_edges && lines_wanted(g))
        lines_sort(g);
    enum saturate_outcome o = run(&s, stats, witness);
    if (o == SATURATE_FIXPOINT && !derive_edges)
        o = add_known_orders(&s);
    mem_free(s.dirty);
    mem_free(s.near);
    mem_free(s.joint_left);
    mem_free(s.joint_most);
    vec_free(&s.latest);
    return o;
}
