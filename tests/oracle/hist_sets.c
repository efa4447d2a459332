/* Predicate reads with version sets, by the letter of the axioms.
 *
 * The results must be those of the version set.  The snapshot agrees with the set in every row up
 * to versions that do not change the matches: between the snapshot's version and the set's, in the
 * order of versions, no version changes them.  Rows that were returned, and those that a sum, a
 * minimum or a maximum is made of, are read as items: the snapshot has exactly the set's version. A
 * row that the transaction wrote itself before is its own affair. */
#include "tests/oracle/axioms.h"

static bool matches(const struct orc_op *op, int value)
{
    return value > 0 && value >= op->least;
}

static bool changes(const struct orc_history *h, const struct orc_op *op, int key, int at)
{
    return matches(op, orc_version_value(h, key, at)) !=
           matches(op, orc_version_value(h, key, at - 1));
}

/* EXT for the row as the predicate sees it. */
static bool agrees(const struct orc_history *h, const struct orc_op *op, int key, int seen)
{
    int set = orc_version_place(h, key, op->set[key]);
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
        int value, at = orc_version_place(h, k, op->set[k]);
        bool own = orc_last_write(txn, i, k, &value);
        if (!own)
            value = orc_version_value(h, k, at);
        if (matches(op, value))
            values[n++] = value;
        if (op->aggregate == ORC_ROWS && op->result[k] != (matches(op, value) ? value : 0))
            return false;
        if (own)
            continue;
        if (!agrees(h, op, k, orc_version_place(h, k, orc_ext_writer(x, v, k))))
            return false;
        if (op->aggregate != ORC_COUNT && matches(op, value) &&
            orc_ext_writer(x, v, k) != (at ? h->version[k][at - 1] : -1))
            return false;
    }
    return op->aggregate == ORC_ROWS || orc_result_is(op, values, n);
}
