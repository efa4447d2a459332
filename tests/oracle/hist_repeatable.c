/* Repeatable read (PL-2.99) by enumeration: is there an order of the transactions in which all
 * dependencies but the predicate anti-dependencies point forwards, for the version set of every
 * predicate read, or for some version set if it comes without?
 *
 * In such an order the versions of a row are those of its writers, one after the other.  An item is
 * read in its current version.  A predicate read may see any version of a row, if everybody who
 * changed the matches up to that version stands before the reader; but, if the set is not given, no
 * version that replaced one which the reader had yet to write, or that one itself.  (If it is, such
 * a version may stand for older ones that match alike.)  The rows that it returns, and those that a
 * sum, a minimum or a maximum is made of, are items, too. */
#include "tests/oracle/oracle.h"

struct order {
    const struct orc_history *h;
    bool session;
    uint32_t active;
    int n, at[ORC_TXNS]; /* the transactions, one after the other */
};

static bool matches(const struct orc_op *op, int key, int value)
{
    if (op->rows == ORC_RANGE)
        return value > 0 && key >= op->first && key <= op->last;
    return value > 0 && value >= op->least;
}

/* The versions of a key: values, and the places of their writers (the initial one has -1).  For the
 * transaction at `place`: the current one, and how many there are before its own. */
struct versions {
    int n, value[ORC_TXNS + 1], writer[ORC_TXNS + 1];
    int current, before_own;
};

static struct versions versions_of(const struct order *o, int key, int place)
{
    struct versions v = {.n = 1, .value = {o->h->init[key]}, .writer = {-1}};
    for (int p = 0; p < o->n; p++) {
        const struct orc_txn *t = &o->h->txns[o->at[p]];
        int value;
        if (!orc_last_write(t, t->n_ops, key, &value))
            continue;
        if (p == place)
            v.before_own = v.n;
        if (p < place)
            v.current = v.n;
        v.value[v.n] = value;
        v.writer[v.n++] = p;
    }
    v.before_own = v.before_own ? v.before_own : v.n;
    return v;
}

/* The version of the transaction, or the initial one. */
static int version_by(const struct order *o, const struct versions *v, int txn)
{
    for (int j = 1; j < v->n; j++)
        if (o->at[v->writer[j]] == txn)
            return j;
    return 0;
}

/* Who changed the matches up to version i stands before the reader. */
static bool depends_backwards(const struct versions *v, const struct orc_op *op, int key, int i,
                              int place)
{
    for (int j = 1; j <= i; j++)
        if (matches(op, key, v->value[j]) != matches(op, key, v->value[j - 1]) &&
            v->writer[j] >= place)
            return false;
    return true;
}

/* The rows from `key` on, after those whose values are there. */
static bool rows_fit(const struct order *o, int place, int i, int key, int *values, int n)
{
    const struct orc_txn *t = &o->h->txns[o->at[place]];
    const struct orc_op *op = &t->ops[i];
    bool rows = op->aggregate == ORC_ROWS;
    bool given = o->h->sets && op->rows == ORC_PREDICATE && !op->bare;
    int own;
    if (key == o->h->n_keys)
        return rows || orc_result_is(op, values, n);
    struct versions v = versions_of(o, key, place);
    bool mine = orc_last_write(t, i, key, &own);
    for (int j = 0; j < (mine ? 1 : given ? v.n : v.before_own); j++) {
        int value = mine ? own : v.value[j];
        if (given && !mine && j != version_by(o, &v, op->set[key]))
            continue;
        bool match = matches(op, key, value);
        if (rows && op->result[key] != (match ? value : 0))
            continue;
        if (!mine && !depends_backwards(&v, op, key, j, place))
            continue;
        if (!mine && match && op->aggregate != ORC_COUNT && j != v.current)
            continue;
        values[n] = value;
        if (rows_fit(o, place, i, key + 1, values, n + match))
            return true;
    }
    return false;
}

static bool txn_fits(const struct order *o, int place)
{
    const struct orc_txn *t = &o->h->txns[o->at[place]];
    for (int i = 0; i < t->n_ops; i++) {
        const struct orc_op *op = &t->ops[i];
        int values[ORC_KEYS + 1], seen;
        if (op->write)
            continue;
        if (op->rows != ORC_ITEM) {
            if (!rows_fit(o, place, i, 0, values, 0))
                return false;
            continue;
        }
        if (!orc_last_write(t, i, op->key, &seen)) {
            struct versions v = versions_of(o, op->key, place);
            seen = v.value[v.current];
        }
        if (seen != op->value)
            return false;
    }
    return true;
}

/* Must `a` come before `b`: in a session, by a version order? */
static bool ordered(const struct order *o, int a, int b)
{
    const struct orc_history *h = o->h;
    if (o->session && a < b && h->txns[a].session == h->txns[b].session)
        return true;
    for (int k = 0; k < h->n_keys; k++)
        for (int i = 0; i < h->n_versions[k]; i++)
            for (int j = 0; j < i; j++)
                if (h->version[k][j] == a && h->version[k][i] == b)
                    return true;
    return h->txns[b].after >> a & 1;
}

static bool order_fits(const struct order *o)
{
    for (int p = 0; p < o->n; p++)
        for (int q = 0; q < p; q++)
            if (ordered(o, o->at[p], o->at[q]))
                return false;
    for (int p = 0; p < o->n; p++)
        if (!txn_fits(o, p))
            return false;
    return true;
}

static bool some_order(struct order *o, uint32_t placed)
{
    if (placed == o->active)
        return order_fits(o);
    for (int t = 0; t < o->h->n_txns; t++) {
        if (!(o->active >> t & 1) || placed >> t & 1)
            continue;
        o->at[o->n++] = t;
        bool ok = some_order(o, placed | 1u << t);
        o->n--;
        if (ok)
            return true;
    }
    return false;
}

bool orc_hist_repeatable(const struct orc_history *h, bool session)
{
    for (uint32_t active = 0; active < 1u << h->n_txns; active++) {
        struct order o = {.h = h, .session = session, .active = active};
        if (orc_may_have_committed(h, active) && some_order(&o, 0))
            return true;
    }
    return false;
}
