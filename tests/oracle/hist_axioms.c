/* Histories, straight from the axioms: is there a total order ar and a visibility vis ⊆ ar such
 * that every read returns what INT and EXT say and the level's axioms hold?
 *
 * The search places transactions one by one in ar order, each with every set of placed ones it may
 * see.  A transaction of RC chooses a set per external read, one of RCS per statement, each a
 * superset of the one before; one of EC per external read, whatever others saw; all others choose
 * once, at their start.  What a transaction of EC sees as a whole is what some read of it saw. */
#include "tests/oracle/axioms.h"

struct search {
    const struct orc_history *h;
    const struct orc_rules *rules;
    struct orc_orders orders;
    struct orc_exec x;
    uint32_t active; /* committed, and the unknown ones supposed to have committed */
    bool mixed;
    bool coupled; /* what one transaction sees matters to others: TRANSVIS, mixed SER */
    bool stuck;   /* not coupled, and no other visible sets of the last one placed can help */
};

static bool place_next(struct search *s);

/* The value of the key in the visible set v: EXT. */
static int seen_value(const struct search *s, uint32_t v, int key)
{
    int writer = orc_ext_writer(&s->x, v, key), value = s->h->init[key];
    if (writer >= 0)
        orc_last_write(&s->h->txns[writer], s->h->txns[writer].n_ops, key, &value);
    return value;
}

/* Does operation i of t choose a visible set of its own? */
static bool chooses(enum orc_level level, const struct orc_txn *t, int i)
{
    int unused;
    const struct orc_op *op = &t->ops[i];
    if (level == ORC_RC || level == ORC_EC)
        return !op->write && (op->rows != ORC_ITEM || !orc_last_write(t, i, op->key, &unused));
    if (level == ORC_RCS)
        return i == 0 || op->stmt != t->ops[i - 1].stmt;
    return i == 0;
}

/* All operations of t are explained; v is its (last) visible set. */
static bool finish(struct search *s, int t, uint32_t v)
{
    struct orc_exec saved = s->x;
    if (!orc_no_conflict(&s->x, s->rules->level[t], t, v))
        return false;
    orc_place(&s->x, t, v);
    if (place_next(s))
        return true;
    s->x = saved;
    s->stuck = !s->coupled;
    return false;
}

static bool place_ops(struct search *s, int t, int i, uint32_t v, bool chosen);

/* A read of several rows returned exactly what is there in v. */
static bool right_rows(const struct search *s, const struct orc_txn *txn, int i, uint32_t v)
{
    const struct orc_op *op = &txn->ops[i];
    if (s->h->sets && op->rows == ORC_PREDICATE)
        return orc_right_set(s->h, &s->x, (int)(txn - s->h->txns), i, v);
    int values[ORC_KEYS], n = 0;
    for (int k = 0; k < s->h->n_keys; k++) {
        int value;
        if (!orc_last_write(txn, i, k, &value))
            value = seen_value(s, v, k);
        bool wanted = op->rows == ORC_RANGE ? k >= op->first && k <= op->last : value >= op->least;
        if (op->aggregate == ORC_ROWS && op->result[k] != (wanted ? value : 0))
            return false;
        if (wanted)
            values[n++] = value;
    }
    return op->aggregate == ORC_ROWS || orc_result_is(op, values, n);
}

/* Operation i returns the right value in v, and the rest can be explained; `all` is what the
 * transaction has seen by then. */
static bool explain_op(struct search *s, int t, int i, uint32_t v, uint32_t all)
{
    const struct orc_txn *txn = &s->h->txns[t];
    const struct orc_op *op = &txn->ops[i];
    int value, writer = t;
    if (!op->write && op->rows != ORC_ITEM)
        return right_rows(s, txn, i, v) && place_ops(s, t, i + 1, all, false);
    if (!op->write && !orc_last_write(txn, i, op->key, &value)) { /* INT: own write first */
        value = seen_value(s, v, op->key);
        writer = orc_ext_writer(&s->x, v, op->key);
    }
    bool right = op->write || (op->value == value && (!op->named || op->by == writer));
    return right && place_ops(s, t, i + 1, all, false);
}

/* Operations from i on; v is what the transaction has seen so far. */
static bool place_ops(struct search *s, int t, int i, uint32_t v, bool chosen)
{
    const struct orc_txn *txn = &s->h->txns[t];
    if (i == txn->n_ops)
        return finish(s, t, v);
    if (chosen || !chooses(s->rules->level[t], txn, i))
        return explain_op(s, t, i, v, v);
    uint32_t least = s->rules->level[t] == ORC_EC ? 0 : v; /* else the sets grow */
    for (uint32_t w = least; w < 1u << ORC_TXNS && !s->stuck; w++)
        if (orc_subset(least, w) && orc_may_see(&s->x, s->rules, &s->orders, s->mixed, t, w) &&
            explain_op(s, t, i, w, v | w))
            return true;
    return false;
}

/* A transaction that never chooses (no operations, or an RC one without external reads) still has
 * a visible set: the smallest that will do. */
static bool place_txn(struct search *s, int t)
{
    const struct orc_txn *txn = &s->h->txns[t];
    bool any = false;
    for (int i = 0; i < txn->n_ops; i++)
        any |= chooses(s->rules->level[t], txn, i);
    if (any)
        return place_ops(s, t, 0, 0, false);
    for (uint32_t v = 0; v < 1u << ORC_TXNS && !s->stuck; v++)
        if (orc_may_see(&s->x, s->rules, &s->orders, s->mixed, t, v) && place_ops(s, t, 0, v, true))
            return true;
    return false;
}

static bool place_next(struct search *s)
{
    uint32_t ser = 0;
    if (s->x.placed == s->active) {
        for (int t = 0; t < s->h->n_txns; t++)
            if (s->rules->level[t] == ORC_SER)
                ser |= 1u << t;
        return !s->mixed || orc_ser_acyclic(&s->x, &s->orders, ser);
    }
    for (int t = 0; t < s->h->n_txns; t++) {
        s->stuck = false;
        if (orc_has(s->active & ~s->x.placed, t) &&
            orc_subset(s->orders.ar_before[t], s->x.placed) && place_txn(s, t))
            return true;
    }
    return false;
}

static bool clock_before(const struct search *s, int a, enum orc_end answered, int b,
                         enum orc_end asked)
{
    const struct orc_txn *ta = &s->h->txns[a], *tb = &s->h->txns[b];
    return ta->stamped >> answered & tb->stamped >> asked & 1 &&
           ta->time[answered] + s->rules->drift < tb->time[asked];
}

static void add_realtime(struct search *s, int a, int b)
{
    enum orc_realtime rt = s->rules->realtime;
    bool commit_begin = clock_before(s, a, ORC_COMMIT_ANSWERED, b, ORC_BEGIN_ASKED);
    if (rt == ORC_RT_STRICT && commit_begin)
        orc_orders_add(&s->orders, s->rules, a, b);
    if (rt != ORC_RT_GSI && rt != ORC_RT_STRONG)
        return;
    if (clock_before(s, a, ORC_COMMIT_ANSWERED, b, ORC_COMMIT_ASKED))
        s->orders.ar_before[b] |= 1u << a;
    if (clock_before(s, b, ORC_BEGIN_ANSWERED, a, ORC_COMMIT_ASKED))
        s->orders.hide[b] |= 1u << a;
    if (rt == ORC_RT_STRONG && commit_begin) {
        s->orders.see[b] |= 1u << a;
        s->orders.ar_before[b] |= 1u << a;
    }
}

/* The version order of a key is ar on its writers. */
static void add_versions(struct search *s, int key)
{
    const struct orc_history *h = s->h;
    for (int i = 0; i < h->n_versions[key]; i++)
        for (int j = 0; j < i; j++)
            if (orc_has(s->active, h->version[key][i]) && orc_has(s->active, h->version[key][j]))
                s->orders.ar_before[h->version[key][i]] |= 1u << h->version[key][j];
}

static void find_orders(struct search *s)
{
    const struct orc_history *h = s->h;
    for (int k = 0; k < h->n_keys; k++)
        add_versions(s, k);
    for (int a = 0; a < h->n_txns; a++)
        for (int b = 0; b < h->n_txns; b++) {
            if (a == b || !orc_has(s->active, a) || !orc_has(s->active, b))
                continue;
            if (s->rules->session && a < b && h->txns[a].session == h->txns[b].session)
                orc_orders_add(&s->orders, s->rules, a, b);
            if (orc_has(h->txns[b].after, a))
                s->orders.ar_before[b] |= 1u << a;
            add_realtime(s, a, b);
        }
}

static void find_rows(struct search *s)
{
    int unused;
    for (int t = 0; t < s->h->n_txns; t++) {
        const struct orc_txn *txn = &s->h->txns[t];
        for (int i = 0; i < txn->n_ops; i++) {
            const struct orc_op *op = &txn->ops[i];
            if (op->write)
                s->x.writes[t] |= 1u << op->key;
            else if (op->rows == ORC_ITEM && !orc_last_write(txn, i, op->key, &unused))
                s->x.reads[t] |= 1u << op->key;
        }
        s->x.touches[t] = s->x.writes[t];
    }
}

static bool explain(const struct orc_history *h, const struct orc_rules *rules, uint32_t active,
                    struct orc_witness *witness)
{
    struct search s = {.h = h, .rules = rules, .active = active};
    s.mixed = orc_is_mixed(rules, h->n_txns);
    s.coupled = s.mixed;
    for (int t = 0; t < h->n_txns; t++)
        s.coupled |= rules->level[t] == ORC_CC || rules->level[t] == ORC_PSI;
    find_orders(&s);
    find_rows(&s);
    if (!place_next(&s))
        return false;
    if (witness) {
        witness->n = s.x.n_placed;
        for (int i = 0; i < ORC_TXNS; i++) {
            witness->ar[i] = s.x.at[i];
            witness->vis[i] = s.x.vis[i];
        }
    }
    return true;
}

bool orc_hist_axioms(const struct orc_history *h, const struct orc_rules *rules,
                     struct orc_witness *witness)
{
    uint32_t committed = 0, unknown = 0;
    for (int t = 0; t < h->n_txns; t++) {
        if (h->txns[t].status == ORC_COMMITTED)
            committed |= 1u << t;
        if (h->txns[t].status == ORC_UNKNOWN)
            unknown |= 1u << t;
    }
    for (uint32_t some = 0; some < 1u << ORC_TXNS; some++)
        if (orc_subset(some, unknown) && explain(h, rules, committed | some, witness))
            return true;
    return false;
}
