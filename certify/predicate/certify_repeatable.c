/* Orders for repeatable read (PL-2.99), from the history as it is, with its predicate reads: every
 * item is read in its current version, versions are made in their order, and who changed the
 * matches of a predicate, up to the version set of a read, comes before the reader.  Who changes
 * them later may come anywhere.  Without a version set, any will do: a row can be seen in its
 * initial version, or in one that somebody earlier left behind, since up to the first version that
 * matches (does not match), nobody later has changed that. */
#include "certify/order/certify_orders.h"
#include "certify/predicate/certify_whitebox.h"
#include "history/lower/aggregate_ways.h"
#include "history/version_order.h"

struct repeatable {
    const struct history *h;
    struct pred pred;
    struct vo_chains chains;
    struct hist_value *initial;
    uint8_t *list_key;
    uint8_t *absent; /* per operation: a row of a range that was not there, no item */
    uint32_t *final_start, *finals; /* per key: the last writes of all transactions in the order */
    uint32_t *current;              /* per key: the last write, or HIST_NONE */
    uint32_t *set;                  /* per key: the version set at hand, as a place in the chain */
    uint32_t *place;                /* per transaction: in the order, from 1 */
    uint32_t *op_txn;
};

static struct hist_value version(const struct repeatable *s, uint32_t key, uint32_t pos)
{
    return pos ? hist_op_value(&s->h->ops.data[s->chains.ops[s->chains.start[key] + pos - 1]])
               : s->initial[key];
}

static uint32_t own_write(const struct repeatable *s, uint32_t txn, uint32_t before, uint32_t key)
{
    uint32_t own = HIST_NONE;
    for (uint32_t i = s->h->txns.data[txn].first_op; i < before; i++)
        if (hist_is_row_write(&s->h->ops.data[i]) && s->h->ops.data[i].key == key)
            own = i;
    return own;
}

/* Does a read give the write, or the initial version? */
static bool gives(const struct repeatable *s, uint32_t read, uint32_t write)
{
    const struct history *h = s->h;
    const struct hist_op *r = &h->ops.data[read];
    uint64_t id = h->write_ids ? h->write_ids[read] : 0;
    if (write == HIST_NONE)
        return !id && hist_value_eq(hist_op_value(r), s->initial[r->key]);
    return !(r->flags & HIST_OP_INITIAL) && (!id || id == h->write_ids[write]) &&
           hist_value_eq(hist_op_value(r), hist_op_value(&h->ops.data[write]));
}

/* The last version up to the one of the set that changes the matches is by somebody earlier; a row
 * that a sum, minimum or maximum is made of is read as an item. */
static bool row_stands(const struct repeatable *s, const struct hist_predicate *q, uint32_t key)
{
    uint32_t pos = s->set[key], first = s->chains.start[key];
    bool matches = pred_matches(&s->pred, q, key, version(s, key, pos));
    if (matches && q->kind >= HIST_SUM &&
        s->current[key] != (pos ? s->chains.ops[first + pos - 1] : HIST_NONE))
        return false;
    while (pos && pred_matches(&s->pred, q, key, version(s, key, pos - 1)) == matches)
        pos--;
    if (!pos)
        return true;
    uint32_t writer = s->op_txn[s->chains.ops[first + pos - 1]];
    return s->place[writer] && s->place[writer] < s->place[q->txn];
}

/* Without a version set: can the row be seen in a version that matches, or that does not?  The
 * first such version is by somebody earlier if any such version is. */
static bool can_be_seen(const struct repeatable *s, const struct hist_predicate *q, uint32_t key,
                        bool matching)
{
    bool found = pred_matches(&s->pred, q, key, s->initial[key]) == matching;
    for (uint32_t i = s->final_start[key]; i < s->final_start[key + 1] && !found; i++) {
        uint32_t op = s->finals[i];
        found = s->place[s->op_txn[op]] < s->place[q->txn] &&
                pred_matches(&s->pred, q, key, hist_op_value(&s->h->ops.data[op])) == matching;
    }
    return found;
}

/* The row was not returned. */
static bool is_missing(const struct repeatable *s, const struct hist_predicate *q, uint32_t key)
{
    uint32_t own = own_write(s, q->txn, q->first_op, key);
    if (own != HIST_NONE)
        return !pred_matches(&s->pred, q, key, hist_op_value(&s->h->ops.data[own]));
    return s->list_key[key] || can_be_seen(s, q, key, false);
}

static bool bare_rows_stand(const struct repeatable *s, const struct hist_predicate *q)
{
    const struct history *h = s->h;
    bool stands = true;
    for (uint32_t k = 0; k < h->keys.len && stands; k++) {
        bool returned = false;
        for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
            returned |= h->ops.data[i].key == k;
        stands = returned || is_missing(s, q, k);
    }
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && stands; i++)
        stands = pred_matches(&s->pred, q, h->ops.data[i].key, hist_op_value(&h->ops.data[i]));
    return stands;
}

/* --- aggregates without version sets --------------------------------------------------------- */

static void add_option(struct aggregate_ways *w, const struct repeatable *s, uint32_t key,
                       uint32_t op)
{
    struct hist_value v = op == HIST_NONE ? s->initial[key] : hist_op_value(&s->h->ops.data[op]);
    vec_push(&w->options, aggregate_option_of(&s->pred, w->q, key, v));
}

/* The row as the transaction may have seen it: its own write, else, for a count, a version that
 * matches or one that does not; else the current version, or one that does not match. */
static void add_row(struct aggregate_ways *w, const struct repeatable *s, uint32_t key)
{
    static const struct aggregate_option something = {.source = HIST_NONE,
                                                      .counts = true,
                                                      .number = 1},
                                         nothing = {.source = HIST_NONE};
    uint32_t own = own_write(s, w->q->txn, w->q->first_op, key);
    vec_push(&w->rows, (uint32_t)w->options.len);
    if (own != HIST_NONE || w->q->kind != HIST_COUNT)
        add_option(w, s, key, own != HIST_NONE ? own : s->current[key]);
    else if (can_be_seen(s, w->q, key, true))
        vec_push(&w->options, something);
    if (own == HIST_NONE && can_be_seen(s, w->q, key, false))
        vec_push(&w->options, nothing);
}

static bool sum_stands(const struct repeatable *s, const struct hist_predicate *q)
{
    const struct pred_sum none = {0};
    struct aggregate_ways w;
    aggregate_ways_begin(&w, q, &none);
    w.widest = (size_t)1 << 22;
    for (uint32_t k = 0; k < s->h->keys.len; k++)
        if (!s->list_key[k])
            add_row(&w, s, k);
    aggregate_ways_close(&w);
    bool stands = !w.too_many && aggregate_ways_any(&w);
    aggregate_ways_free(&w);
    return stands;
}

/* --- rows and ranges without version sets ---------------------------------------------------- */

static bool range_stands(const struct repeatable *s, const struct hist_predicate *q)
{
    bool stands = true;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && stands; i++)
        stands = !s->absent[i] || is_missing(s, q, s->h->ops.data[i].key);
    return stands;
}

static bool predicate_stands(struct repeatable *s, const struct hist_predicate *q)
{
    const struct history *h = s->h;
    bool stands = true;
    if (q->failed)
        return true;
    if (q->kind == HIST_RANGE)
        return range_stands(s, q);
    if (!q->has_set && q->kind == HIST_ROWS)
        return bare_rows_stand(s, q);
    if (!q->has_set)
        return sum_stands(s, q);
    memset(s->set, 0, h->keys.len * sizeof *s->set);
    for (uint32_t i = q->set; i < q->set + q->set_count; i++)
        s->set[h->ops.data[h->set_ops.data[i]].key] = s->chains.pos[h->set_ops.data[i]];
    for (uint32_t k = 0; k < h->keys.len && stands; k++)
        stands = s->list_key[k] || own_write(s, q->txn, q->first_op, k) != HIST_NONE ||
                 row_stands(s, q, k);
    return stands;
}

static bool item_stands(const struct repeatable *s, uint32_t txn, uint32_t read)
{
    const struct hist_op *r = &s->h->ops.data[read];
    if (r->kind != HIST_READ || r->flags & HIST_OP_FAILED)
        return true;
    uint32_t own = own_write(s, txn, read, r->key);
    if (own != HIST_NONE)
        return gives(s, read, own);
    return s->absent[read] || gives(s, read, s->current[r->key]);
}

static bool txn_stands(struct repeatable *s, uint32_t txn)
{
    const struct history *h = s->h;
    const struct hist_txn *t = &h->txns.data[txn];
    bool stands = true;
    for (uint32_t q = hist_first_predicate(h, txn);
         q < h->predicates.len && h->predicates.data[q].txn == txn && stands; q++)
        stands = predicate_stands(s, &h->predicates.data[q]);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count && stands; i++)
        stands = item_stands(s, txn, i);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (hist_is_row_write(&h->ops.data[i]))
            s->current[h->ops.data[i].key] = i;
    return stands;
}

static void index_finals(struct repeatable *s)
{
    const struct history *h = s->h;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < h->ops.len; i++) {
            if (!s->place[s->op_txn[i]] || !hist_is_final(h, s->op_txn[i], i))
                continue;
            if (pass)
                s->finals[s->final_start[h->ops.data[i].key + 1]++] = i;
            else
                s->final_start[h->ops.data[i].key + 2]++;
        }
        for (size_t k = 0; !pass && k < h->keys.len; k++)
            s->final_start[k + 2] += s->final_start[k + 1];
    }
}

/* Transactions of a session that did not happen may stand between others. */
static bool follows_sessions(const struct repeatable *s)
{
    const struct history *h = s->h;
    uint32_t last = 0;
    for (uint32_t i = 0; i < h->txns.len; i++) {
        uint32_t t = h->index.session_txns[i];
        if (i && h->txns.data[t].session != h->txns.data[h->index.session_txns[i - 1]].session)
            last = 0;
        if (s->place[t] && s->place[t] < last)
            return false;
        last = s->place[t] ? s->place[t] : last;
    }
    return true;
}

static const char *check(struct repeatable *s, const struct certificate *c, struct arena *messages)
{
    const struct history *h = s->h;
    for (size_t i = 0; i < c->len; i++) {
        if (c->order[i] >= h->txns.len || s->place[c->order[i]] ||
            h->txns.data[c->order[i]].status == HIST_ABORTED)
            return "the order is not one of the transactions that count";
        s->place[c->order[i]] = (uint32_t)i + 1;
    }
    for (uint32_t t = 0; t < h->txns.len; t++)
        if (h->txns.data[t].status == HIST_COMMITTED && !s->place[t])
            return "the order leaves a transaction out";
    if (c->level.session_order && !follows_sessions(s))
        return "the order does not follow the sessions";
    index_finals(s);
    for (size_t i = 0; i < c->len; i++)
        if (!txn_stands(s, c->order[i]))
            return hist_of_txn(h, c->order[i], "did not read what the order gives", messages);
    return certify_version_orders(h, c, messages);
}

static void note_absent(struct repeatable *s)
{
    const struct history *h = s->h;
    for (size_t i = 0; i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        for (uint32_t k = q->first_op; k < q->first_op + q->rows && q->kind == HIST_RANGE; k++)
            s->absent[k] = (h->ops.data[k].flags & HIST_OP_NULL) != 0;
    }
}

const char *certify_repeatable(const struct history *h, const struct certificate *c,
                               struct arena *messages)
{
    struct repeatable s = {.h = h};
    size_t keys = h->keys.len + 1;
    pred_init(&s.pred, h);
    if (h->version_orders_complete)
        vo_chains_build(&s.chains, h);
    s.initial = hist_initial_values(h);
    s.list_key = hist_list_keys(h);
    s.absent = mem_calloc(h->ops.len + 1, 1);
    s.current = mem_alloc(mem_mul(keys, sizeof *s.current));
    memset(s.current, 0xff, keys * sizeof *s.current);
    s.set = mem_calloc(keys, sizeof *s.set);
    s.place = mem_calloc(h->txns.len + 1, sizeof *s.place);
    s.op_txn = hist_op_txns(h);
    s.final_start = mem_calloc(keys + 2, sizeof *s.final_start);
    s.finals = mem_alloc(mem_mul(h->ops.len + 1, sizeof *s.finals));
    note_absent(&s);
    const char *error = check(&s, c, messages);
    pred_free(&s.pred);
    vo_chains_free(&s.chains);
    void *all[] = {s.initial, s.list_key, s.absent,      s.current, s.set,
                   s.place,   s.op_txn,   s.final_start, s.finals};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    return error;
}
