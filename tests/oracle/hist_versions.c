/* Histories by version orders: guess the writer of every external read and the version order ww of
 * every key, derive rw, and look at the graph that the level asks about.
 *
 * One graph form serves all: node 0 is the initial transaction, node 1 + t the commit (or the
 * whole) of transaction t, and, where a level takes snapshots, SNAP(t, i) the moment at which
 * operation i of t takes its snapshot.  SER: one node per transaction.  SI and PC: one snapshot,
 * the begin. RCS: as PC, with a begin per statement.  PSI: paths instead of cycles.  EC, RC, RA and
 * CC do not need ww: the order that the level forces is saturated (Biswas and Enea, OOPSLA 2019,
 * section 2.2). */
#include <limits.h>
#include <string.h>
#include "tests/oracle/oracle.h"

enum { INITIAL = 0, NODES = 1 + ORC_TXNS + ORC_TXNS * ORC_OPS, READS = ORC_TXNS * ORC_OPS };

typedef uint64_t nodes; /* a set of nodes; NODES <= 64 */

struct graph {
    nodes edge[NODES];
};

struct read {
    int txn, op, key, value;
    int writer; /* a node: INITIAL or 1 + transaction */
};

struct guess {
    const struct orc_history *h;
    const struct orc_rules *rules;
    enum orc_level level;
    bool active[ORC_TXNS];
    int n_reads;
    struct read reads[READS];
    int n_ordered; /* keys whose versions are ordered already; the others give no edges yet */
    int n_versions[ORC_KEYS];
    int versions[ORC_KEYS][ORC_TXNS]; /* version order: transactions */
};

/* ---- the history ---- */

static bool writes(const struct guess *g, int node, int key)
{
    int unused;
    if (node == INITIAL)
        return true;
    return g->active[node - 1] &&
           orc_last_write(&g->h->txns[node - 1], g->h->txns[node - 1].n_ops, key, &unused);
}

/* When something was over at the latest, as far as others can know; when it happened at the
 * earliest. */
static long over(const struct orc_txn *t, enum orc_end answered, long drift)
{
    return t->stamped >> answered & 1 ? t->time[answered] + drift : LONG_MAX;
}

static long earliest(const struct orc_txn *t, enum orc_end asked)
{
    return t->stamped >> asked & 1 ? t->time[asked] : LONG_MIN;
}

/* Session order, and strict real time. */
static bool ordered(const struct guess *g, int a, int b)
{
    const struct orc_txn *ta = &g->h->txns[a], *tb = &g->h->txns[b];
    if (a == b || !g->active[a] || !g->active[b] || g->level == ORC_EC)
        return false;
    if (g->rules->session && a < b && ta->session == tb->session)
        return true;
    return g->rules->realtime == ORC_RT_STRICT &&
           over(ta, ORC_COMMIT_ANSWERED, g->rules->drift) < earliest(tb, ORC_BEGIN_ASKED);
}

/* ---- graphs ---- */

static void edge(struct graph *g, int from, int to)
{
    g->edge[from] |= (nodes)1 << to;
}

static bool has_edge(const struct graph *g, int from, int to)
{
    return g->edge[from] >> to & 1;
}

static void close_transitively(struct graph *g)
{
    for (int k = 0; k < NODES; k++)
        for (int i = 0; i < NODES && g->edge[k]; i++)
            if (has_edge(g, i, k))
                g->edge[i] |= g->edge[k];
}

static bool acyclic(const struct graph *g)
{
    struct graph c = *g;
    close_transitively(&c);
    for (int i = 0; i < NODES; i++)
        if (has_edge(&c, i, i))
            return false;
    return true;
}

/* The snapshot node that operation i of t reads from: for RCS that of its statement's first
 * operation, for SI and PC that of the transaction's. */
static int snap(const struct guess *g, int t, int i)
{
    const struct orc_txn *txn = &g->h->txns[t];
    int first = 0;
    if (g->level == ORC_RCS)
        for (first = i; first > 0 && txn->ops[first - 1].stmt == txn->ops[i].stmt;)
            first--;
    return 1 + ORC_TXNS + t * ORC_OPS + first;
}

/* ---- RC, RA, CC: the order that the level forces ---- */

/* wr, so, and the initial transaction before all. */
static void known_edges(const struct guess *g, struct graph *out)
{
    memset(out, 0, sizeof *out);
    for (int t = 0; t < g->h->n_txns; t++)
        if (g->active[t])
            edge(out, INITIAL, 1 + t);
    for (int r = 0; r < g->n_reads; r++)
        edge(out, g->reads[r].writer, 1 + g->reads[r].txn);
    for (int a = 0; a < g->h->n_txns; a++)
        for (int b = 0; b < g->h->n_txns; b++)
            if (ordered(g, a, b))
                edge(out, 1 + a, 1 + b);
}

/* Version orders that are known. */
static void known_versions(const struct guess *g, struct graph *out)
{
    for (int a = 0; a < g->h->n_txns; a++)
        for (int b = 0; b < g->h->n_txns; b++)
            if (g->active[a] && g->active[b] && g->h->txns[b].after >> a & 1)
                edge(out, 1 + a, 1 + b);
}

/* Is what transaction node u wrote known to be visible to read r?
 * EC: by this read alone, and it has but one row.
 * RC: an earlier read of the transaction (in program order) read from u.
 * RA: u is one so or wr step before; CC: any number of steps. */
static bool known_visible(const struct guess *g, const struct graph *known, int u, int r)
{
    const struct read *read = &g->reads[r];
    if (g->level == ORC_EC)
        return false;
    if (g->level != ORC_RC)
        return has_edge(known, u, 1 + read->txn);
    for (int q = 0; q < g->n_reads; q++)
        if (g->reads[q].txn == read->txn && g->reads[q].op < read->op && g->reads[q].writer == u)
            return true;
    return false;
}

/* u is visible to a read of x that returned w's version, u writes x: u comes before w. */
static bool saturated_ok(const struct guess *g)
{
    struct graph known, order;
    known_edges(g, &known);
    order = known;
    if (g->level == ORC_CC)
        close_transitively(&known);
    for (int r = 0; r < g->n_reads; r++)
        for (int u = 0; u <= g->h->n_txns; u++)
            if (u != g->reads[r].writer && u != 1 + g->reads[r].txn &&
                writes(g, u, g->reads[r].key) && known_visible(g, &known, u, r))
                edge(&order, u, g->reads[r].writer);
    known_versions(g, &order);
    return acyclic(&order);
}

/* ---- levels with version orders ---- */

/* Calls add for every wr, ww and rw edge; `op` is the reading operation, or -1 for ww. */
typedef void add_edge(const struct guess *g, struct graph *out, int from, int to, int op);

static void each_ww(const struct guess *g, struct graph *out, add_edge *ww)
{
    for (int k = 0; k < g->n_ordered; k++)
        for (int i = 0; i < g->n_versions[k]; i++)
            for (int j = i + 1; j < g->n_versions[k]; j++)
                ww(g, out, g->versions[k][i], g->versions[k][j], -1);
}

static void each_wr(const struct guess *g, struct graph *out, add_edge *wr)
{
    for (int r = 0; r < g->n_reads; r++)
        if (g->reads[r].writer != INITIAL)
            wr(g, out, g->reads[r].writer - 1, g->reads[r].txn, g->reads[r].op);
}

/* The reader before every transaction that wrote a later version than the one read. */
static void each_rw(const struct guess *g, struct graph *out, add_edge *rw)
{
    for (int r = 0; r < g->n_reads; r++) {
        const struct read *read = &g->reads[r];
        bool later = read->writer == INITIAL;
        for (int i = 0; i < g->n_versions[read->key] && read->key < g->n_ordered; i++) {
            int u = g->versions[read->key][i];
            if (later && u != read->txn)
                rw(g, out, read->txn, u, read->op);
            later |= read->writer == 1 + u;
        }
    }
}

static void whole(const struct guess *g, struct graph *out, int from, int to, int op)
{
    (void)g, (void)op;
    edge(out, 1 + from, 1 + to);
}

static void commit_to_snap(const struct guess *g, struct graph *out, int from, int to, int op)
{
    edge(out, 1 + from, snap(g, to, op < 0 ? 0 : op));
}

static void snap_to_commit(const struct guess *g, struct graph *out, int from, int to, int op)
{
    edge(out, snap(g, from, op), 1 + to);
}

static void each_so(const struct guess *g, struct graph *out, add_edge *so)
{
    for (int a = 0; a < g->h->n_txns; a++)
        for (int b = 0; b < g->h->n_txns; b++)
            if (ordered(g, a, b))
                so(g, out, a, b, -1);
}

/* SER: so ∪ wr ∪ ww ∪ rw acyclic. */
static bool ser_ok(const struct guess *g)
{
    struct graph out = {0};
    each_so(g, &out, whole);
    each_wr(g, &out, whole);
    each_ww(g, &out, whole);
    each_rw(g, &out, whole);
    return acyclic(&out);
}

/* PSI: D = so ∪ wr ∪ ww; D+ ; rw? irreflexive. */
static bool psi_ok(const struct guess *g)
{
    struct graph d = {0}, rw = {0};
    each_so(g, &d, whole);
    each_wr(g, &d, whole);
    each_ww(g, &d, whole);
    each_rw(g, &rw, whole);
    close_transitively(&d);
    for (int a = 0; a < NODES; a++)
        for (int b = 0; b < NODES; b++)
            if (has_edge(&d, a, b) && (a == b || has_edge(&rw, b, a)))
                return false;
    return true;
}

/* GSI: begin/commit → commit; strong SI also commit → begin; beyond the drift. */
static void clock_edges(const struct guess *g, struct graph *out)
{
    long drift = g->rules->drift;
    bool strong = g->rules->realtime == ORC_RT_STRONG;
    if (!strong && g->rules->realtime != ORC_RT_GSI)
        return;
    for (int a = 0; a < g->h->n_txns; a++)
        for (int b = 0; b < g->h->n_txns; b++) {
            const struct orc_txn *ta = &g->h->txns[a], *tb = &g->h->txns[b];
            if (a == b || !g->active[a] || !g->active[b])
                continue;
            long begun = over(ta, ORC_BEGIN_ANSWERED, drift);
            long committed = over(ta, ORC_COMMIT_ANSWERED, drift);
            if (committed < earliest(tb, ORC_COMMIT_ASKED))
                edge(out, 1 + a, 1 + b);
            if (begun < earliest(tb, ORC_COMMIT_ASKED))
                edge(out, snap(g, a, 0), 1 + b);
            if (strong && committed < earliest(tb, ORC_BEGIN_ASKED))
                edge(out, 1 + a, snap(g, b, 0));
        }
}

/* The begin/commit graph.  B→C; wr, so: C→B; rw: B→C; ww: C→B for SI, C→C for PC and RCS. */
static bool begin_commit_ok(const struct guess *g)
{
    struct graph out = {0};
    bool so_commits = g->level == ORC_RCS && g->rules->rcs_session_ar_only;
    for (int t = 0; t < g->h->n_txns; t++) {
        int n = g->h->txns[t].n_ops;
        edge(&out, snap(g, t, n > 0 ? n - 1 : 0), 1 + t);
        for (int i = 1; i < n; i++) /* the prefixes of a transaction's statements grow */
            if (snap(g, t, i - 1) != snap(g, t, i))
                edge(&out, snap(g, t, i - 1), snap(g, t, i));
    }
    each_so(g, &out, so_commits ? whole : commit_to_snap);
    each_wr(g, &out, commit_to_snap);
    each_ww(g, &out, g->level == ORC_SI ? commit_to_snap : whole);
    each_rw(g, &out, snap_to_commit);
    clock_edges(g, &out);
    return acyclic(&out);
}

static bool graph_ok(const struct guess *g)
{
    if (g->level == ORC_SER)
        return ser_ok(g);
    return g->level == ORC_PSI ? psi_ok(g) : begin_commit_ok(g);
}

/* ---- guessing ---- */

/* Key k's order contradicts nothing known. */
static bool order_fits(const struct guess *g, int k)
{
    for (int i = 0; i < g->n_versions[k]; i++)
        for (int j = i + 1; j < g->n_versions[k]; j++)
            if (g->h->txns[g->versions[k][i]].after >> g->versions[k][j] & 1)
                return false;
    return true;
}

/* Orders the writers of key k, from position `from` on, in every way; then the next key. */
static bool guess_versions(struct guess *g, int k, int from)
{
    g->n_ordered = k;
    if (from == 0 && !graph_ok(g)) /* more keys only add edges */
        return false;
    if (k == g->h->n_keys)
        return true;
    if (from >= g->n_versions[k])
        return order_fits(g, k) && guess_versions(g, k + 1, 0);
    for (int i = from; i < g->n_versions[k]; i++) {
        int *v = g->versions[k], first = v[from];
        v[from] = v[i], v[i] = first;
        bool ok = guess_versions(g, k, from + 1);
        v[i] = v[from], v[from] = first;
        if (ok)
            return true;
    }
    return false;
}

static bool guess_writers(struct guess *g, int r)
{
    int value;
    if (r == g->n_reads)
        return g->level <= ORC_CC && g->level != ORC_RCS ? saturated_ok(g)
                                                         : guess_versions(g, 0, 0);
    struct read *read = &g->reads[r];
    for (int w = 0; w <= g->h->n_txns; w++) {
        if (w == 1 + read->txn || !writes(g, w, read->key))
            continue;
        value = g->h->init[read->key];
        if (w != INITIAL)
            orc_last_write(&g->h->txns[w - 1], g->h->txns[w - 1].n_ops, read->key, &value);
        read->writer = w;
        if (value == read->value && guess_writers(g, r + 1))
            return true;
    }
    return false;
}

/* INT, and the list of external reads. */
static bool find_reads(struct guess *g, int t)
{
    const struct orc_txn *txn = &g->h->txns[t];
    int value;
    for (int i = 0; i < txn->n_ops; i++) {
        const struct orc_op *op = &txn->ops[i];
        if (op->write)
            continue;
        if (!orc_last_write(txn, i, op->key, &value))
            g->reads[g->n_reads++] = (struct read){t, i, op->key, op->value, INITIAL};
        else if (value != op->value)
            return false;
    }
    return true;
}

static bool explain(const struct orc_history *h, const struct orc_rules *rules, uint32_t active)
{
    struct guess g = {.h = h, .rules = rules, .level = rules->level[0]};
    for (int t = 0; t < h->n_txns; t++)
        g.active[t] = active >> t & 1;
    for (int t = 0; t < h->n_txns; t++) {
        if (g.active[t] && !find_reads(&g, t))
            return false;
        for (int k = 0; k < h->n_keys; k++)
            if (writes(&g, 1 + t, k))
                g.versions[k][g.n_versions[k]++] = t;
    }
    return guess_writers(&g, 0);
}

bool orc_hist_versions(const struct orc_history *h, const struct orc_rules *rules)
{
    for (uint32_t active = 0; active < 1u << h->n_txns; active++) {
        if (orc_may_have_committed(h, active) && explain(h, rules, active))
            return true;
    }
    return false;
}
