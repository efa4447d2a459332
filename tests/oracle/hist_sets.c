/* Predicate reads with version sets, by the letter of the axioms.
 *
 * The results must be those of the version set.  The snapshot agrees with the set in every row up
 * to versions that do not change the matches: between the snapshot's version and the set's, in the
 * order of versions, no version changes them.  Rows that were returned, and those that a sum, a
 * minimum or a maximum is made of, are read as items: the snapshot has exactly the set's version. A
 * row that the transaction wrote itself before is its own affair. */
#include "tests/oracle/axioms.h"

bool orc_aggregate(enum orc_aggregate a, const int *values, int n, int *number)
{
    int sum = 0, least = 0, greatest = 0;
    for (int i = 0; i < n; i++) {
        sum += values[i];
        least = !i || values[i] < least ? values[i] : least;
        greatest = !i || values[i] > greatest ? values[i] : greatest;
    }
    *number = a == ORC_COUNT ? n : a == ORC_SUM ? sum : a == ORC_MIN ? least : greatest;
    return n || a == ORC_COUNT;
}

static bool wrote(const struct orc_txn *t, int before, int key, int *value)
{
    bool found = false;
    for (int i = 0; i < before; i++)
        if (t->ops[i].write && t->ops[i].key == key) {
            *value = t->ops[i].value;
            found = true;
        }
    return found;
}

/* Version `at` of the key, from 1; 0 is the initial one. */
static int value_at(const struct orc_history *h, int key, int at)
{
    int value = h->init[key];
    if (at) {
        const struct orc_txn *t = &h->txns[h->version[key][at - 1]];
        wrote(t, t->n_ops, key, &value);
    }
    return value;
}

static bool matches(const struct orc_op *op, int value)
{
    return value > 0 && value >= op->least;
}

static bool changes(const struct orc_history *h, const struct orc_op *op, int key, int at)
{
    return matches(op, value_at(h, key, at)) != matches(op, value_at(h, key, at - 1));
}

static int place(const struct orc_history *h, int key, int writer)
{
    for (int at = 1; at <= h->n_versions[key]; at++)
        if (h->version[key][at - 1] == writer)
            return at;
    return 0;
}

/* EXT for the row as the predicate sees it. */
static bool agrees(const struct orc_history *h, const struct orc_op *op, int key, int seen)
{
    int set = place(h, key, op->set[key]);
    for (int at = seen < set ? seen + 1 : set + 1; at <= seen || at <= set; at++)
        if (changes(h, op, key, at))
            return false;
    return true;
}

bool orc_right_set(const struct orc_history *h, const struct orc_exec *x, int t, int i, uint32_t v)
{
    const struct orc_txn *txn = &h->txns[t];
    const struct orc_op *op = &txn->ops[i];
    int values[ORC_KEYS], n = 0;
    for (int k = 0; k < h->n_keys; k++) {
        int value, at = place(h, k, op->set[k]);
        bool own = wrote(txn, i, k, &value);
        if (!own)
            value = value_at(h, k, at);
        if (matches(op, value))
            values[n++] = value;
        if (op->aggregate == ORC_ROWS && op->result[k] != (matches(op, value) ? value : 0))
            return false;
        if (own)
            continue;
        if (!agrees(h, op, k, place(h, k, orc_ext_writer(x, v, k))))
            return false;
        if (op->aggregate != ORC_COUNT && matches(op, value) &&
            orc_ext_writer(x, v, k) != (at ? h->version[k][at - 1] : -1))
            return false;
    }
    return op->aggregate == ORC_ROWS || orc_result_is(op, values, n);
}
