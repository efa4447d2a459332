/* White-box histories by the letter: with version orders and version sets given, every dependency
 * of Adya's is an edge (all of them, not only the nearest), and the level says which cycles are
 * forbidden.  Cycles are found by transitive closure over two nodes per transaction. */
#include <string.h>

#include "tests/oracle/oracle.h"

enum { NODES = 2 * ORC_TXNS };

struct graph {
    const struct orc_history *h;
    enum orc_level level;
    bool items_only;
    bool edge[NODES][NODES];
};

/* SER: one node per transaction. */
static int begin_of(const struct graph *g, int t)
{
    return g->level == ORC_SER ? t : 2 * t;
}
static int commit_of(const struct graph *g, int t)
{
    return g->level == ORC_SER ? t : 2 * t + 1;
}

enum kind { SO, WR, WW, RW };

static void add(struct graph *g, enum kind kind, int from, int to)
{
    if (from == to || from < 0 || to < 0)
        return;
    int tail = kind == RW ? begin_of(g, from) : commit_of(g, from);
    int head =
        kind == RW || (kind == WW && g->level == ORC_PC) ? commit_of(g, to) : begin_of(g, to);
    g->edge[tail][head] = true;
}

static bool matches(const struct orc_op *op, int value)
{
    return value > 0 && value >= op->least;
}

/* An item read of a value that is not 0: its writer, and all later versions. */
static bool item(struct graph *g, int t, int i, int key, int value)
{
    const struct orc_history *h = g->h;
    int own;
    if (orc_last_write(&h->txns[t], i, key, &own))
        return own == value;
    for (int at = 0; at <= h->n_versions[key]; at++) {
        if (orc_version_value(h, key, at) != value)
            continue;
        if (at && h->version[key][at - 1] == t)
            return false; /* it reads what it writes later */
        if (at)
            add(g, WR, h->version[key][at - 1], t);
        for (int j = at + 1; j <= h->n_versions[key]; j++)
            add(g, RW, t, h->version[key][j - 1]);
        return true;
    }
    return false; /* nobody's final write */
}

/* The version itself is read: its writer, and all later versions. */
static void version(struct graph *g, int t, int key, int at)
{
    const struct orc_history *h = g->h;
    if (at)
        add(g, WR, h->version[key][at - 1], t);
    for (int j = at + 1; j <= h->n_versions[key]; j++)
        add(g, RW, t, h->version[key][j - 1]);
}

static bool rows(struct graph *g, int t, int i)
{
    const struct orc_history *h = g->h;
    const struct orc_op *op = &h->txns[t].ops[i];
    int values[ORC_KEYS], n = 0;
    for (int k = 0; k < h->n_keys; k++) {
        int own, at = orc_version_place(h, k, op->set[k]);
        bool mine = orc_last_write(&h->txns[t], i, k, &own);
        int value = mine ? own : orc_version_value(h, k, at);
        if (matches(op, value))
            values[n++] = value;
        if (op->aggregate == ORC_ROWS) {
            if (op->result[k] != (matches(op, value) ? value : 0))
                return false;
            if (op->result[k] && !item(g, t, i, k, op->result[k]))
                return false;
        } else if (op->aggregate != ORC_COUNT && matches(op, value) && !mine)
            version(g, t, k, at);
        int last = -1;
        for (int j = 1; j <= h->n_versions[k] && !mine; j++) {
            if (matches(op, orc_version_value(h, k, j)) ==
                matches(op, orc_version_value(h, k, j - 1)))
                continue;
            if (j <= at)
                add(g, WR, last = h->version[k][j - 1], t);
            else if (!g->items_only)
                add(g, RW, t, h->version[k][j - 1]);
        }
        if (last == t)
            return false; /* it sees what it writes later */
    }
    return op->aggregate == ORC_ROWS || orc_result_is(op, values, n);
}

static bool acyclic(struct graph *g)
{
    int n = 2 * g->h->n_txns;
    for (int t = 0; t < g->h->n_txns && g->level != ORC_SER; t++)
        g->edge[begin_of(g, t)][commit_of(g, t)] = true;
    for (int k = 0; k < n; k++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                g->edge[a][b] |= g->edge[a][k] && g->edge[k][b];
    for (int a = 0; a < n; a++)
        if (g->edge[a][a])
            return false;
    return true;
}

bool orc_hist_whitebox(const struct orc_history *h, enum orc_level level, bool session,
                       bool items_only)
{
    struct graph g = {.h = h, .level = level, .items_only = items_only};
    for (int t = 0; t < h->n_txns; t++) {
        for (int u = 0; u < t && session; u++)
            if (h->txns[u].session == h->txns[t].session)
                add(&g, SO, u, t);
        for (int i = 0; i < h->txns[t].n_ops; i++) {
            const struct orc_op *op = &h->txns[t].ops[i];
            if (op->write)
                continue;
            if (op->rows == ORC_ITEM ? !item(&g, t, i, op->key, op->value) : !rows(&g, t, i))
                return false;
        }
    }
    for (int k = 0; k < h->n_keys; k++)
        for (int i = 0; i < h->n_versions[k]; i++)
            for (int j = i + 1; j < h->n_versions[k]; j++)
                add(&g, WW, h->version[k][i], h->version[k][j]);
    return acyclic(&g);
}

/* --- random ---------------------------------------------------------------------------------- */

/* Version orders: mostly the order of the array, which is that of the hidden execution. */
static void random_orders(struct orc_rng *r, struct orc_history *h)
{
    int unused;
    for (int k = 0; k < h->n_keys; k++) {
        for (int t = 0; t < h->n_txns; t++)
            if (orc_last_write(&h->txns[t], h->txns[t].n_ops, k, &unused))
                h->version[k][h->n_versions[k]++] = t;
        int n = h->n_versions[k], i = n > 1 ? orc_below(r, n - 1) : 0;
        if (n > 1 && orc_percent(r, 10)) {
            int t = h->version[k][i];
            h->version[k][i] = h->version[k][i + 1];
            h->version[k][i + 1] = t;
        }
    }
}

/* The versions that a snapshot of everything before `seen` shows; sometimes others. */
static void random_set(struct orc_rng *r, struct orc_history *h, int t, int i, int seen, int wild)
{
    struct orc_op *op = &h->txns[t].ops[i];
    int values[ORC_KEYS], n = 0;
    for (int k = 0; k < h->n_keys; k++) {
        int at = 0, own;
        for (int j = 1; j <= h->n_versions[k]; j++)
            if (h->version[k][j - 1] < seen)
                at = j;
        if (orc_percent(r, wild))
            at = orc_below(r, h->n_versions[k] + 1);
        op->set[k] = at ? h->version[k][at - 1] : -1;
        if (op->set[k] == t) /* an own version that is not there yet */
            op->set[k] = -1, at = 0;
        int value = orc_last_write(&h->txns[t], i, k, &own) ? own : orc_version_value(h, k, at);
        op->result[k] = matches(op, value) && !orc_percent(r, wild / 4) ? value : 0;
        if (matches(op, value))
            values[n++] = value;
    }
    if (op->aggregate == ORC_ROWS)
        return;
    op->nothing = !orc_aggregate(op->aggregate, values, n, &op->number);
    if (orc_percent(r, wild))
        op->nothing = !op->nothing;
    if (orc_percent(r, wild))
        op->number++;
}

void orc_versions_random(struct orc_rng *r, const struct orc_hist_params *p, struct orc_history *h)
{
    orc_hist_random(r, p, h);
    random_orders(r, h);
}

void orc_whitebox_random(struct orc_rng *r, const struct orc_hist_params *p, struct orc_history *h)
{
    orc_versions_random(r, p, h);
    h->sets = true;
    for (int t = 0; t < h->n_txns; t++) {
        struct orc_txn *txn = &h->txns[t];
        int seen = orc_percent(r, 60) ? t : orc_below(r, t + 1), n = 0;
        for (int i = 0; i < txn->n_ops; i++) /* absent items would be ambiguous */
            if (txn->ops[i].write || txn->ops[i].rows != ORC_ITEM || txn->ops[i].value)
                txn->ops[n++] = txn->ops[i];
        txn->n_ops = n;
        for (int i = 0; i < n; i++) {
            struct orc_op *op = &txn->ops[i];
            if (op->write || op->rows != ORC_PREDICATE)
                continue;
            if (orc_percent(r, p->aggregates))
                op->aggregate = (enum orc_aggregate)(ORC_COUNT + orc_below(r, 4));
            random_set(r, h, t, i, seen, p->wild);
        }
    }
}
