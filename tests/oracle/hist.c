/* What all procedures on histories need to know of the data: the last write of a transaction, the
 * versions of a row on record, the aggregates, who may have committed.  Nothing here depends on a
 * level; what does, each procedure says in its own way. */
#include "tests/oracle/oracle.h"

bool orc_last_write(const struct orc_txn *t, int before, int key, int *value)
{
    bool found = false;
    for (int i = 0; i < before; i++)
        if (t->ops[i].write && t->ops[i].key == key) {
            *value = t->ops[i].value;
            found = true;
        }
    return found;
}

bool orc_may_have_committed(const struct orc_history *h, uint32_t set)
{
    for (int t = 0; t < h->n_txns; t++) {
        enum orc_status status = h->txns[t].status;
        bool in = set >> t & 1;
        if (status != ORC_UNKNOWN && in != (status == ORC_COMMITTED))
            return false;
    }
    return true;
}

int orc_version_place(const struct orc_history *h, int key, int writer)
{
    for (int at = 1; at <= h->n_versions[key]; at++)
        if (h->version[key][at - 1] == writer)
            return at;
    return 0;
}

int orc_version_value(const struct orc_history *h, int key, int at)
{
    int value = h->init[key];
    if (at) {
        const struct orc_txn *t = &h->txns[h->version[key][at - 1]];
        orc_last_write(t, t->n_ops, key, &value);
    }
    return value;
}

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

bool orc_result_is(const struct orc_op *op, const int *values, int n)
{
    int number;
    bool any = orc_aggregate(op->aggregate, values, n, &number);
    return op->nothing ? !any : any && op->number == number;
}
