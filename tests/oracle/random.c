/* Random histories.  A hidden execution is run: transactions in a random ar order, each against a
 * set of earlier ones of a kind chosen per history (everything, a prefix, a causal set, any set, or
 * a new set for every read), so that histories of every strength occur.  A few reads are then made
 * wild, and sometimes session order does not follow ar. */
#include <string.h>
#include "tests/oracle/oracle.h"

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t next(struct orc_rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct orc_rng orc_rng(uint64_t seed)
{
    struct orc_rng r = {seed};
    next(&r);
    return r;
}

int orc_below(struct orc_rng *r, int n)
{
    return (int)(next(r) % (uint64_t)n);
}

bool orc_percent(struct orc_rng *r, int percent)
{
    return orc_below(r, 100) < percent;
}

enum kind { ALL, PREFIX, CAUSAL, ANY, PER_READ, KINDS };

struct hidden {
    struct orc_rng *r;
    const struct orc_hist_params *p;
    struct orc_history *h;
    enum kind kind;
    int fresh;              /* last unique value */
    unsigned ends;          /* clients take these times */
    int waits;              /* asking and being answered takes less than this */
    uint32_t vis[ORC_TXNS]; /* in the order of the hidden ar, which is the array's */
};

static uint32_t pick_vis(struct hidden *s, int t)
{
    uint32_t all = (1u << t) - 1, v = 0;
    if (s->kind == ALL)
        return all;
    if (s->kind == PREFIX)
        return (1u << orc_below(s->r, t + 1)) - 1;
    for (int u = 0; u < t; u++)
        if (orc_percent(s->r, 60))
            v |= 1u << u | (s->kind == CAUSAL ? s->vis[u] : 0);
    return v;
}

static int wild_value(struct hidden *s, int key)
{
    int seen[ORC_TXNS * ORC_OPS + 1], n = 0;
    seen[n++] = s->h->init[key];
    for (int t = 0; t < s->h->n_txns; t++)
        for (int i = 0; i < s->h->txns[t].n_ops; i++)
            if (s->h->txns[t].ops[i].write && s->h->txns[t].ops[i].key == key)
                seen[n++] = s->h->txns[t].ops[i].value;
    return seen[orc_below(s->r, n)];
}

static int row_value(const struct hidden *s, int t, int i, uint32_t v, int key)
{
    int value = s->h->init[key];
    for (int u = 0; u < t; u++)
        if (v >> u & 1 && s->h->txns[u].status != ORC_ABORTED)
            orc_last_write(&s->h->txns[u], s->h->txns[u].n_ops, key, &value);
    orc_last_write(&s->h->txns[t], i, key, &value);
    return value;
}

/* Of a wild row, one that matches is not returned. */
static void run_rows(struct hidden *s, int t, int i, uint32_t v)
{
    struct orc_op *op = &s->h->txns[t].ops[i];
    int values[ORC_KEYS], n = 0;
    if (op->rows == ORC_PREDICATE && s->p->aggregates && orc_percent(s->r, s->p->aggregates))
        op->aggregate = (enum orc_aggregate)(ORC_COUNT + orc_below(s->r, 4));
    for (int k = 0; k < s->h->n_keys && op->aggregate != ORC_ROWS; k++) {
        int value = row_value(s, t, i, v, k);
        if (value >= op->least && !orc_percent(s->r, s->p->wild))
            values[n++] = value;
    }
    if (op->aggregate != ORC_ROWS) {
        op->nothing = !orc_aggregate(op->aggregate, values, n, &op->number);
        if (op->nothing && op->aggregate == ORC_SUM && orc_percent(s->r, 50))
            op->nothing = false;
        return;
    }
    for (int k = 0; k < s->h->n_keys; k++) {
        int value = row_value(s, t, i, v, k);
        bool wanted = op->rows == ORC_RANGE ? k >= op->first && k <= op->last : value >= op->least;
        op->result[k] = wanted && !orc_percent(s->r, s->p->wild) ? value : 0;
    }
}

/* A predicate update: the rows that matched are written, in the same statement. */
static void update_rows(struct hidden *s, int t, int i)
{
    struct orc_txn *txn = &s->h->txns[t];
    struct orc_op read = txn->ops[i];
    for (int k = 0; k < s->h->n_keys && txn->n_ops < ORC_OPS; k++) {
        if (!read.result[k])
            continue;
        for (int j = txn->n_ops++; j > i + 1; j--)
            txn->ops[j] = txn->ops[j - 1];
        txn->ops[++i] = (struct orc_op){
            .write = true,
            .key = k,
            .value = s->p->values ? 1 + orc_below(s->r, s->p->values) : ++s->fresh,
            .stmt = read.stmt,
        };
    }
}

static void run_read(struct hidden *s, int t, int i, uint32_t v)
{
    struct orc_op *op = &s->h->txns[t].ops[i];
    if (op->rows != ORC_ITEM) {
        run_rows(s, t, i, v);
        if (op->rows == ORC_PREDICATE && op->aggregate == ORC_ROWS &&
            orc_percent(s->r, s->p->updates))
            update_rows(s, t, i);
        return;
    }
    op->value = row_value(s, t, i, v, op->key);
    if (orc_percent(s->r, s->p->wild))
        op->value = wild_value(s, op->key);
}

/* Some operations on several rows, and deletes. */
static void random_rows(struct hidden *s, struct orc_op *op)
{
    int dice = orc_below(s->r, 100), keys = s->h->n_keys;
    if (op->write) {
        if (dice < s->p->deletes)
            op->value = 0;
        return;
    }
    op->rows = dice < s->p->predicates                  ? ORC_PREDICATE
               : dice < s->p->predicates + s->p->ranges ? ORC_RANGE
                                                        : ORC_ITEM;
    op->first = orc_below(s->r, keys);
    op->last = op->first + orc_below(s->r, keys - op->first);
    op->least = 1 + orc_below(s->r, s->p->values ? s->p->values : s->fresh + 2);
}

static void random_ops(struct hidden *s, struct orc_txn *t)
{
    int role = orc_below(s->r, 4), share = (const int[]){0, 40, 40, 85}[role]; /* of writes */
    int stmt = 0, start = orc_below(s->r, s->h->n_keys), step = orc_percent(s->r, 50) ? 1 : -1;
    t->n_ops = s->p->ops - orc_below(s->r, (s->p->ops + 2) / 2);
    if (role == 3 && orc_percent(s->r, 60)) /* single writes and scans make forks */
        t->n_ops = 1;
    for (int i = 0; i < t->n_ops; i++) {
        struct orc_op *op = &t->ops[i];
        op->write = orc_percent(s->r, share);
        op->key = orc_below(s->r, s->h->n_keys);
        if (role == 0)
            op->key = (start + (i % s->h->n_keys) * step + s->h->n_keys) % s->h->n_keys;
        op->value = s->p->values ? 1 + orc_below(s->r, s->p->values) : ++s->fresh;
        if (s->p->predicates || s->p->ranges || s->p->deletes)
            random_rows(s, op);
        if (!s->p->stmts || orc_percent(s->r, 60))
            stmt++;
        op->stmt = stmt;
    }
}

/* Clocks that mostly tell the truth about the hidden execution. */
static void random_times(struct hidden *s, int t)
{
    struct orc_txn *txn = &s->h->txns[t];
    int first = 0;
    while (first < t && s->vis[t] >> first & 1)
        first++;
    if (orc_percent(s->r, 30)) /* later than the snapshot */
        first += orc_below(s->r, t - first + 1);
    long commit = 10 * (t + 1) + orc_below(s->r, 10);
    long begin = 10 * first + 5 + orc_below(s->r, 6);
    if (begin >= commit)
        begin = commit - 1;
    long *time = txn->time;
    time[ORC_BEGIN_ASKED] = begin - orc_below(s->r, s->waits);
    time[ORC_BEGIN_ANSWERED] = begin + orc_below(s->r, s->waits);
    time[ORC_COMMIT_ASKED] = commit - orc_below(s->r, s->waits);
    time[ORC_COMMIT_ANSWERED] = commit + orc_below(s->r, s->waits);
    if (time[ORC_COMMIT_ASKED] < time[ORC_BEGIN_ASKED])
        time[ORC_COMMIT_ASKED] = time[ORC_BEGIN_ASKED];
    if (time[ORC_BEGIN_ANSWERED] > time[ORC_COMMIT_ANSWERED])
        time[ORC_BEGIN_ANSWERED] = time[ORC_COMMIT_ANSWERED];
    for (int end = 0; end < ORC_ENDS; end++)
        if (orc_percent(s->r, 90))
            txn->stamped |= 1u << end;
    txn->stamped &= s->ends;
    if (txn->status == ORC_UNKNOWN)
        txn->stamped &= ~(1u << ORC_COMMIT_ANSWERED);
}

/* How clients take the time: one stamp each, a server's points, or both ends, close or far. */
static void random_clocks(struct hidden *s)
{
    static const int waits[] = {1, 3, 12};
    s->ends = 1u << ORC_BEGIN_ASKED | 1u << ORC_COMMIT_ANSWERED;
    if (!orc_percent(s->r, 20))
        s->ends = (1u << ORC_ENDS) - 1;
    s->waits = waits[orc_below(s->r, 3)];
}

static void random_status(struct hidden *s, struct orc_txn *t)
{
    int dice = orc_below(s->r, 100);
    t->status = ORC_COMMITTED;
    if (dice < s->p->aborted)
        t->status = ORC_ABORTED;
    else if (dice < s->p->aborted + s->p->unknown)
        t->status = ORC_UNKNOWN;
}

/* Version orders that are mostly those of the hidden execution, whose ar is the array's order. */
static void random_versions(struct hidden *s)
{
    struct orc_history *h = s->h;
    int unused;
    for (int a = 0; a < h->n_txns; a++)
        for (int b = a + 1; b < h->n_txns; b++)
            for (int k = 0; k < h->n_keys; k++) {
                if (!orc_last_write(&h->txns[a], h->txns[a].n_ops, k, &unused) ||
                    !orc_last_write(&h->txns[b], h->txns[b].n_ops, k, &unused) ||
                    !orc_percent(s->r, s->p->versions))
                    continue;
                if (orc_percent(s->r, 90))
                    h->txns[b].after |= 1u << a;
                else
                    h->txns[a].after |= 1u << b;
            }
}

static void shuffle_txns(struct orc_rng *r, struct orc_history *h)
{
    for (int i = h->n_txns - 1; i > 0; i--) {
        int j = orc_below(r, i + 1);
        struct orc_txn t = h->txns[i];
        h->txns[i] = h->txns[j];
        h->txns[j] = t;
    }
}

void orc_hist_random(struct orc_rng *r, const struct orc_hist_params *p, struct orc_history *h)
{
    struct hidden s = {.r = r, .p = p, .h = h};
    memset(h, 0, sizeof *h);
    s.kind = (enum kind)orc_below(r, KINDS);
    if (p->times)
        random_clocks(&s);
    h->n_txns = p->txns;
    while (h->n_txns > 2 && orc_percent(r, 25))
        h->n_txns--;
    h->n_keys = p->keys - orc_below(r, (p->keys + 1) / 2);
    for (int k = 0; k < h->n_keys && p->initial; k++)
        if (orc_percent(r, p->initial))
            h->init[k] = p->values ? 1 + orc_below(r, p->values) : ++s.fresh;
    for (int t = 0; t < h->n_txns; t++) {
        random_status(&s, &h->txns[t]);
        h->txns[t].session = orc_below(r, p->sessions);
        random_ops(&s, &h->txns[t]);
    }
    for (int t = 0; t < h->n_txns; t++) {
        uint32_t v = s.vis[t] = pick_vis(&s, t);
        for (int i = 0; i < h->txns[t].n_ops; i++) {
            if (s.kind == PER_READ) {
                uint32_t more = pick_vis(&s, t);
                v |= more & pick_vis(&s, t);
            }
            if (!h->txns[t].ops[i].write)
                run_read(&s, t, i, v);
        }
        if (p->times)
            random_times(&s, t);
    }
    if (p->versions)
        random_versions(&s);
    else if (orc_percent(r, 25))
        shuffle_txns(r, h);
}

static void print_op(FILE *out, const struct orc_history *h, const struct orc_op *op)
{
    static const char *const names[] = {"rows", "count", "sum", "min", "max"};
    if (op->write || op->rows == ORC_ITEM) {
        fprintf(out, " %c(k%d,%d)@%d", op->write ? 'w' : 'r', op->key, op->value, op->stmt);
        return;
    }
    if (op->rows == ORC_RANGE)
        fprintf(out, " range(k%d…k%d:", op->first, op->last);
    else
        fprintf(out, " predicate(>=%d:", op->least);
    if (op->aggregate != ORC_ROWS)
        fprintf(out, " %s %d%s", names[op->aggregate], op->number, op->nothing ? " (null)" : "");
    for (int k = 0; k < h->n_keys; k++)
        fprintf(out, " %d/T%d", op->result[k], op->set[k]);
    fprintf(out, ")@%d", op->stmt);
}

void orc_hist_print(FILE *out, const struct orc_history *h)
{
    static const char *const status[] = {"", " aborted", " unknown"};
    static const char *const ends[] = {"begin asked", "begin answered", "commit asked",
                                       "commit answered"};
    for (int k = 0; k < h->n_keys; k++)
        fprintf(out, "init k%d=%d\n", k, h->init[k]);
    for (int k = 0; k < h->n_keys; k++)
        for (int i = 0; i < h->n_versions[k]; i++)
            fprintf(out, "%s T%d%s", i ? " <" : "versions", h->version[k][i],
                    i + 1 == h->n_versions[k] ? "\n" : "");
    for (int t = 0; t < h->n_txns; t++) {
        const struct orc_txn *txn = &h->txns[t];
        fprintf(out, "T%d session %d%s:", t, txn->session, status[txn->status]);
        for (int i = 0; i < txn->n_ops; i++)
            print_op(out, h, &txn->ops[i]);
        if (txn->after)
            fprintf(out, " after %#x", txn->after);
        for (int end = 0; end < ORC_ENDS; end++)
            if (txn->stamped >> end & 1)
                fprintf(out, " %s %ld", ends[end], txn->time[end]);
        fputc('\n', out);
    }
}
