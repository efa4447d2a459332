/* Histories of the oracle as histories of the engine; see oracle_history.h. */
#include "tests/unit/oracle_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

const struct orc_hist_params oracle_unique = {
    .txns = 5, .sessions = 3, .ops = 4, .keys = 3, .wild = 5};
const struct orc_hist_params oracle_repeated = {
    .txns = 4, .sessions = 3, .ops = 4, .keys = 2, .values = 2, .wild = 5};
const struct orc_hist_params oracle_outcomes = {.txns = 5,
                                                .sessions = 3,
                                                .ops = 3,
                                                .keys = 2,
                                                .aborted = 15,
                                                .unknown = 15,
                                                .wild = 5,
                                                .stmts = true};

struct conversion {
    const struct orc_history *o;
    struct history *h;
    int flags;
    uint32_t write[ORC_TXNS][ORC_KEYS]; /* the last of each transaction, or HIST_NONE */
    uint32_t op[ORC_TXNS][ORC_OPS];
};

static struct hist_value value_of(const struct conversion *c, int v)
{
    return v || !(c->flags & ORACLE_ABSENT) ? hist_int(v) : hist_null();
}

static uint32_t add_rows(const struct conversion *c, const struct orc_op *op)
{
    static const enum hist_predicate_kind kinds[] = {HIST_ROWS, HIST_COUNT, HIST_SUM, HIST_MIN,
                                                     HIST_MAX};
    struct history *h = c->h;
    bool range = op->rows == ORC_RANGE;
    uint32_t read = hist_predicate_read(h, range ? HIST_RANGE : kinds[op->aggregate]);
    if (range) {
        hist_condition_int(h, "key", 3, HIST_GE, op->first);
        hist_condition_int(h, "key", 3, HIST_LE, op->last);
    } else
        hist_condition_int(h, "value", 5, HIST_GE, op->least);
    if (op->aggregate != ORC_ROWS) {
        hist_aggregate(h, "value", op->aggregate == ORC_COUNT ? 0 : 5,
                       op->nothing ? hist_null() : hist_int(op->number));
        return read;
    }
    for (int k = 0; k < c->o->n_keys; k++)
        if (op->result[k])
            hist_returned_row(h, (uint32_t)k, value_of(c, op->result[k]), 0);
    return read;
}

/* Of the last write of the key before operation `before`. */
static uint64_t write_id(const struct conversion *c, int t, int key, int before)
{
    const struct orc_txn *x = &c->o->txns[t];
    while (before-- > 0)
        if (x->ops[before].write && x->ops[before].key == key)
            return (uint64_t)t * ORC_OPS + (uint64_t)before + 1;
    return ORC_TXNS * ORC_OPS + 1; /* nobody's */
}

static uint32_t add_read(struct conversion *c, int t, int i)
{
    const struct orc_op *op = &c->o->txns[t].ops[i];
    uint32_t read = hist_read(c->h, (uint32_t)op->key, value_of(c, op->value));
    if (op->named && op->by < 0)
        hist_op_flag(c->h, HIST_OP_INITIAL);
    else if (op->named)
        hist_write_id(c->h,
                      write_id(c, op->by, op->key, op->by == t ? i : c->o->txns[op->by].n_ops));
    return read;
}

static uint32_t add_op(struct conversion *c, int t, int i)
{
    const struct orc_op *op = &c->o->txns[t].ops[i];
    if (op->write) {
        uint32_t write = hist_write(c->h, (uint32_t)op->key, value_of(c, op->value));
        if (c->flags & ORACLE_IDS)
            hist_write_id(c->h, write_id(c, t, op->key, i + 1));
        return c->write[t][op->key] = write;
    }
    return op->rows == ORC_ITEM ? add_read(c, t, i) : add_rows(c, op);
}

static int64_t time_of(const struct orc_txn *x, enum orc_end end)
{
    return x->stamped >> end & 1 ? x->time[end] : HIST_NO_TIME;
}

static void add_txn(struct conversion *c, int t)
{
    static const enum hist_status status[] = {[ORC_COMMITTED] = HIST_COMMITTED,
                                              [ORC_ABORTED] = HIST_ABORTED,
                                              [ORC_UNKNOWN] = HIST_UNKNOWN};
    const struct orc_txn *x = &c->o->txns[t];
    struct history *h = c->h;
    while (h->session_count <= (uint32_t)x->session)
        hist_add_session(h, NULL);
    hist_begin_txn(h, (uint32_t)x->session);
    if (x->stamped)
        hist_txn_intervals(
            h, (struct hist_times){time_of(x, ORC_BEGIN_ASKED), time_of(x, ORC_BEGIN_ANSWERED),
                                   time_of(x, ORC_COMMIT_ASKED), time_of(x, ORC_COMMIT_ANSWERED)});
    for (int i = 0; i < x->n_ops; i++) {
        c->op[t][i] = add_op(c, t, i);
        if (i && x->ops[i].stmt == x->ops[i - 1].stmt)
            hist_op_flag(h, HIST_OP_SAME_STMT);
    }
    hist_end_txn(h, status[x->status]);
}

/* What the transaction had written itself is not in its version set. */
static void add_set(const struct conversion *c, int t, int i)
{
    const struct orc_txn *x = &c->o->txns[t];
    uint32_t set[ORC_KEYS], n = 0;
    for (int k = 0; k < c->o->n_keys; k++) {
        bool own = false;
        for (int j = 0; j < i; j++)
            own |= x->ops[j].write && x->ops[j].key == k;
        if (x->ops[i].set[k] >= 0 && !own)
            set[n++] = c->write[x->ops[i].set[k]][k];
    }
    hist_version_set(c->h, c->op[t][i], set, n);
}

static void add_orders(const struct conversion *c, int k)
{
    const struct orc_history *o = c->o;
    uint32_t order[ORC_TXNS];
    for (int i = 0; i < o->n_versions[k]; i++)
        order[i] = c->write[o->version[k][i]][k];
    if (o->n_versions[k])
        hist_add_version_order(c->h, (uint32_t)k, order, (size_t)o->n_versions[k]);
    for (int t = 0; t < o->n_txns; t++)
        for (int s = 0; s < o->n_txns; s++) {
            uint32_t pair[] = {c->write[s][k], c->write[t][k]};
            if (o->txns[t].after >> s & 1 && pair[0] != HIST_NONE && pair[1] != HIST_NONE)
                hist_add_version_order(c->h, (uint32_t)k, pair, 2);
        }
}

struct history *oracle_history(const struct orc_history *o, int flags)
{
    struct conversion c = {.o = o, .h = hist_new(), .flags = flags};
    for (int t = 0; t < ORC_TXNS; t++)
        for (int k = 0; k < ORC_KEYS; k++)
            c.write[t][k] = HIST_NONE;
    for (int k = 0; k < o->n_keys; k++)
        hist_set_initial(c.h, hist_key_int(c.h, k), value_of(&c, o->init[k]));
    for (int t = 0; t < o->n_txns; t++)
        add_txn(&c, t);
    for (int t = 0; t < o->n_txns && o->sets; t++)
        for (int i = 0; i < o->txns[t].n_ops; i++)
            if (!o->txns[t].ops[i].write && o->txns[t].ops[i].rows == ORC_PREDICATE &&
                !o->txns[t].ops[i].bare)
                add_set(&c, t, i);
    for (int k = 0; k < o->n_keys; k++)
        add_orders(&c, k);
    c.h->version_orders_complete = flags & ORACLE_COMPLETE;
    assert_null(hist_finish(c.h));
    return c.h;
}

long oracle_setting(const char *name, long value)
{
    const char *s = getenv(name);
    return s ? atol(s) : value;
}
