/* Results against version sets, and orders against everything that was read; see
 * certify_whitebox.h.  Rows are looked at one at a time, by the definitions. */
#include "certify/certify_whitebox.h"

#include "base/strbuf.h"
#include "certify/certify_aggregate.h"
#include "certify/certify_internal.h"
#include "history/predicate.h"
#include "history/version_order.h"

static bool is_write(const struct hist_op *op)
{
    return (op->kind == HIST_WRITE || op->kind == HIST_APPEND) && !(op->flags & HIST_OP_FAILED);
}

static uint8_t *list_keys(const struct history *h)
{
    uint8_t *list = mem_calloc(h->keys.len + 1, 1);
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind >= HIST_APPEND)
            list[h->ops.data[i].key] = 1;
    return list;
}

static const char *wrong(const struct history *h, uint32_t txn, const char *what,
                         struct arena *messages)
{
    struct strbuf b = {0};
    hist_txn_text(h, txn, &b);
    const char *text = arena_printf(messages, "%s: %s", sb_str(&b), what);
    sb_free(&b);
    return text;
}

/* --- one predicate read ---------------------------------------------------------------------- */

/* What a predicate read saw of the rows, and what it returned. */
struct view {
    const struct history *h;
    struct pred pred;
    struct hist_value *initial;
    uint8_t *list_key;
    uint32_t *op;       /* per key: the write that it saw, or HIST_NONE */
    uint32_t *returned; /* per key: the read that stands for the row, or HIST_NONE */
    uint32_t *op_txn;   /* per operation */
    /* For orders: per write, that of the version before it, or HIST_NONE; per key, that of the
     * version set at hand. */
    uint32_t *before, *set;
};

static void view_init(struct view *v, const struct history *h)
{
    size_t bytes = (h->keys.len + 1) * sizeof(uint32_t);
    *v = (struct view){.h = h, .op = mem_alloc(bytes), .returned = mem_alloc(bytes)};
    pred_init(&v->pred, h);
    v->initial = hist_initial_values(h);
    v->list_key = list_keys(h);
    memset(v->op, 0xff, bytes);
    memset(v->returned, 0xff, bytes);
    v->op_txn = mem_alloc(mem_mul(h->ops.len + 1, sizeof *v->op_txn));
    v->before = mem_alloc(mem_mul(h->ops.len + 1, sizeof *v->before));
    v->set = mem_alloc(bytes);
    for (uint32_t t = 0; t < h->txns.len; t++)
        for (uint32_t i = 0; i < h->txns.data[t].op_count; i++)
            v->op_txn[h->txns.data[t].first_op + i] = t;
}

static void view_free(struct view *v)
{
    pred_free(&v->pred);
    mem_free(v->initial);
    mem_free(v->list_key);
    mem_free(v->op);
    mem_free(v->returned);
    mem_free(v->op_txn);
    mem_free(v->before);
    mem_free(v->set);
}

/* The version set, under the transaction's own writes so far. */
static void view_fill(struct view *v, const struct hist_predicate *q, bool fill)
{
    const struct history *h = v->h;
    for (uint32_t i = q->set; i < q->set + q->set_count && q->has_set; i++) {
        uint32_t op = h->set_ops.data[i];
        v->op[h->ops.data[op].key] = fill ? op : HIST_NONE;
    }
    for (uint32_t i = h->txns.data[q->txn].first_op; i < q->first_op; i++)
        if (is_write(&h->ops.data[i]))
            v->op[h->ops.data[i].key] = fill ? i : HIST_NONE;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        v->returned[h->ops.data[i].key] = fill ? i : HIST_NONE;
}

static struct hist_value value_of(const struct view *v, uint32_t key)
{
    return v->op[key] == HIST_NONE ? v->initial[key] : hist_op_value(&v->h->ops.data[v->op[key]]);
}

/* Is the row of the key, returned or not, what was seen of it? */
static bool row_stands(const struct view *v, const struct hist_predicate *q, uint32_t key)
{
    uint32_t read = v->returned[key];
    if (v->list_key[key])
        return true;
    if (pred_matches(&v->pred, q, key, value_of(v, key)) != (read != HIST_NONE))
        return false;
    return read == HIST_NONE ||
           hist_value_eq(value_of(v, key), hist_op_value(&v->h->ops.data[read]));
}

static bool sum_stands(const struct view *v, const struct hist_predicate *q)
{
    struct pred_sum sum = {0};
    for (uint32_t k = 0; k < v->h->keys.len; k++)
        if (!v->list_key[k] && pred_matches(&v->pred, q, k, value_of(v, k)))
            pred_add(&v->pred, q, k, value_of(v, k), &sum);
    return pred_agrees(q, &sum);
}

/* --- version sets ---------------------------------------------------------------------------- */

static bool is_final(const struct view *v, uint32_t op)
{
    const struct history *h = v->h;
    const struct hist_txn *t = &h->txns.data[v->op_txn[op]];
    bool last = is_write(&h->ops.data[op]) && t->status == HIST_COMMITTED;
    for (uint32_t i = op + 1; i < t->first_op + t->op_count; i++)
        last &= !is_write(&h->ops.data[i]) || h->ops.data[i].key != h->ops.data[op].key;
    return last;
}

/* The transaction's last write of the key before the predicate read, or HIST_NONE. */
static uint32_t own_write(const struct history *h, const struct hist_predicate *q, uint32_t key)
{
    uint32_t own = HIST_NONE;
    for (uint32_t i = h->txns.data[q->txn].first_op; i < q->first_op; i++)
        if (is_write(&h->ops.data[i]) && h->ops.data[i].key == key)
            own = i;
    return own;
}

/* Could the write be in the version set of a predicate read? */
static bool may_be_seen(const struct view *v, const struct hist_predicate *q, uint32_t op)
{
    uint32_t own = own_write(v->h, q, v->h->ops.data[op].key);
    if (v->op_txn[op] == q->txn)
        return op == own;
    return own == HIST_NONE && is_final(v, op);
}

/* Two versions of one row by others; `op` is one of them. */
static bool is_second(const struct history *h, const struct hist_predicate *q, uint32_t op)
{
    uint32_t count = 0;
    for (uint32_t i = q->set; i < q->set + q->set_count; i++) {
        uint32_t other = h->set_ops.data[i];
        count += h->ops.data[other].key == h->ops.data[op].key && hist_op_txn(h, other) != q->txn;
    }
    return count > 1;
}

static bool set_contains(const struct history *h, const struct hist_predicate *q, uint32_t op)
{
    for (uint32_t i = q->set; i < q->set + q->set_count && q->has_set; i++)
        if (h->set_ops.data[i] == op)
            return true;
    return false;
}

static bool set_fault_stands(const struct view *v, const struct hist_predicate *q, uint32_t op)
{
    return op < v->h->ops.len && set_contains(v->h, q, op) &&
           (!may_be_seen(v, q, op) || is_second(v->h, q, op));
}

/* Without version set: a returned row that does not match, or an own one that was left out. */
static bool bare_row_stands(const struct view *v, const struct hist_predicate *q, uint32_t key)
{
    uint32_t read = v->returned[key];
    if (read != HIST_NONE)
        return pred_matches(&v->pred, q, key, hist_op_value(&v->h->ops.data[read]));
    return v->op[key] == HIST_NONE || !pred_matches(&v->pred, q, key, value_of(v, key));
}

/* Without version set: do some versions of the rows give the result?  All that may have been
 * committed count. */
static bool some_sum_stands(const struct history *h, const struct hist_predicate *q)
{
    struct aggregates a;
    struct aggregate_ways w;
    hist_facts_ops sources = {0};
    struct history with = *h; /* the same, with the aggregate as one that is asked about */
    struct hist_predicate any = *q;
    any.any = true;
    with.predicates.data = &any;
    with.predicates.len = 1;
    aggregates_init(&a, &with);
    aggregate_ways_start(&a, &any, &w);
    for (uint32_t k = 0; k < h->keys.len; k++) {
        if (!a.row[k] || aggregate_is_own(&a, k))
            continue;
        vec_clear(&sources);
        vec_push(&sources, HIST_NONE);
        for (uint32_t i = 0; i < h->ops.len; i++) {
            uint32_t txn = h->ops.data[i].key == k ? hist_op_txn(h, i) : q->txn;
            if (txn != q->txn && is_write(&h->ops.data[i]) &&
                h->txns.data[txn].status != HIST_ABORTED)
                vec_push(&sources, i);
        }
        aggregate_ways_row(&a, &w, k, &sources);
    }
    aggregate_ways_close(&w);
    bool stands = aggregate_ways_any(&w);
    aggregate_ways_free(&w);
    aggregates_free(&a);
    vec_free(&sources);
    return stands;
}

const char *certify_mismatch(const struct history *h, const struct lowered *d,
                             struct arena *messages)
{
    if (d->predicate >= h->predicates.len)
        return "the mismatch is of no predicate read";
    const struct hist_predicate *q = &h->predicates.data[d->predicate];
    struct view v;
    bool stands = true;
    if (q->txn != d->txn || q->failed || h->txns.data[q->txn].status != HIST_COMMITTED)
        return wrong(h, q->txn, "its predicate read does not count", messages);
    view_init(&v, h);
    view_fill(&v, q, true);
    if (d->fault == LOWER_SET)
        stands = !set_fault_stands(&v, q, d->op);
    else if (d->fault == LOWER_AGGREGATE && q->kind >= HIST_COUNT)
        stands = q->has_set ? sum_stands(&v, q) : some_sum_stands(h, q);
    else if (d->key < h->keys.len && q->kind == HIST_ROWS)
        stands = q->has_set ? row_stands(&v, q, d->key) : bare_row_stands(&v, q, d->key);
    view_free(&v);
    return stands ? wrong(h, q->txn, "its result is what it should be", messages) : NULL;
}

static bool result_stands(struct view *v, const struct hist_predicate *q)
{
    bool stands = true;
    for (uint32_t i = q->set; i < q->set + q->set_count && stands; i++)
        stands = may_be_seen(v, q, v->h->set_ops.data[i]) &&
                 v->op[v->h->ops.data[v->h->set_ops.data[i]].key] == v->h->set_ops.data[i];
    for (uint32_t k = 0; k < v->h->keys.len && stands && q->kind == HIST_ROWS; k++)
        stands = row_stands(v, q, k);
    return stands && (q->kind < HIST_COUNT || sum_stands(v, q));
}

const char *certify_results(const struct history *h, struct arena *messages)
{
    struct view v;
    const char *error = NULL;
    view_init(&v, h);
    for (size_t i = 0; i < h->predicates.len && !error; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        if (!q->has_set || q->failed || h->txns.data[q->txn].status != HIST_COMMITTED)
            continue;
        view_fill(&v, q, true);
        if (!result_stands(&v, q))
            error = wrong(h, q->txn, "a result is not that of its version set", messages);
        view_fill(&v, q, false);
    }
    view_free(&v);
    return error;
}

/* --- expected orders ------------------------------------------------------------------------- */

/* The versions of the rows as the whole order makes them: of several writes of a transaction to a
 * row the last one is a version, and what is before the first is before it. */
static void view_chain(struct view *v, const expected_order *order)
{
    const struct history *h = v->h;
    memset(v->before, 0xff, (h->ops.len + 1) * sizeof *v->before);
    memset(v->set, 0xff, (h->keys.len + 1) * sizeof *v->set); /* the last version so far */
    for (size_t n = 0; n < order->len; n++) {
        const struct hist_txn *t = &h->txns.data[order->data[n]];
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
            uint32_t key = h->ops.data[i].key, last = v->set[key];
            if (!is_write(&h->ops.data[i]))
                continue;
            v->before[i] =
                last != HIST_NONE && v->op_txn[last] == order->data[n] ? v->before[last] : last;
            v->set[key] = i;
        }
    }
}

static struct hist_value version_value(const struct view *v, uint32_t key, uint32_t op)
{
    return op == HIST_NONE ? v->initial[key] : hist_op_value(&v->h->ops.data[op]);
}

/* Do all versions from one back to another match, or not, as `matches` says?  The other one must be
 * before it. */
static bool alike_back_to(const struct view *v, const struct hist_predicate *q, uint32_t key,
                          uint32_t from, uint32_t to, bool matches)
{
    for (uint32_t at = from;; at = v->before[at]) {
        if (pred_matches(&v->pred, q, key, version_value(v, key, at)) != matches)
            return false;
        if (at == to || at == HIST_NONE)
            return at == to;
    }
}

/* Of the state in v->op: the set's version of the row is the current one; or, if the row is no item
 * of the result, another, and all between the two match alike. */
static bool set_version_stands(const struct view *v, const struct hist_predicate *q, uint32_t key)
{
    uint32_t now = v->op[key], set = v->set[key];
    bool matches = pred_matches(&v->pred, q, key, value_of(v, key));
    if (now == set || (matches && q->kind != HIST_COUNT))
        return now == set;
    return alike_back_to(v, q, key, now, set, matches) ||
           alike_back_to(v, q, key, set, now, matches);
}

static bool set_stands(struct view *v, const struct hist_predicate *q)
{
    const struct history *h = v->h;
    bool stands = true;
    if (!q->has_set)
        return true;
    for (uint32_t k = 0; k < h->keys.len; k++)
        v->set[k] = HIST_NONE;
    for (uint32_t i = q->set; i < q->set + q->set_count; i++)
        if (v->op_txn[h->set_ops.data[i]] != q->txn)
            v->set[h->ops.data[h->set_ops.data[i]].key] = h->set_ops.data[i];
    for (uint32_t k = 0; k < h->keys.len && stands; k++)
        stands = v->list_key[k] || own_write(h, q, k) != HIST_NONE || set_version_stands(v, q, k);
    return stands;
}

/* A predicate read of the state in v->op. */
static bool predicate_stands(struct view *v, const struct hist_predicate *q)
{
    bool stands = true;
    if (q->failed || q->kind == HIST_RANGE)
        return true;
    if (!set_stands(v, q))
        return false;
    if (q->kind >= HIST_COUNT)
        return sum_stands(v, q);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        v->returned[v->h->ops.data[i].key] = i;
    for (uint32_t k = 0; k < v->h->keys.len && stands; k++)
        stands = v->list_key[k] ||
                 pred_matches(&v->pred, q, k, value_of(v, k)) == (v->returned[k] != HIST_NONE);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        v->returned[v->h->ops.data[i].key] = HIST_NONE;
    return stands;
}

/* The predicate reads of a transaction, and its writes; `end`: up to this operation. */
static bool run_txn(struct view *v, uint32_t txn, uint32_t end, bool check)
{
    const struct history *h = v->h;
    const struct hist_txn *t = &h->txns.data[txn];
    uint32_t q = check ? hist_first_predicate(h, txn) : (uint32_t)h->predicates.len;
    bool stands = true;
    for (uint32_t i = t->first_op; i <= t->first_op + t->op_count; i++) {
        for (; q < h->predicates.len && h->predicates.data[q].txn == txn &&
               h->predicates.data[q].first_op == i;
             q++)
            stands = stands && predicate_stands(v, &h->predicates.data[q]);
        if (i < end && i < t->first_op + t->op_count && is_write(&h->ops.data[i]))
            v->op[h->ops.data[i].key] = i;
    }
    return stands;
}

/* The list that the first `place` transactions and the operations before `read` left behind. */
static bool list_stands(const struct history *h, const expected_order *order, size_t place,
                        uint32_t read)
{
    const struct hist_op *r = &h->ops.data[read];
    uint32_t len = 0;
    for (size_t n = 0; n <= place; n++) {
        const struct hist_txn *t = &h->txns.data[order->data[n]];
        uint32_t end = n == place ? read : t->first_op + t->op_count;
        for (uint32_t i = t->first_op; i < end; i++) {
            const struct hist_op *a = &h->ops.data[i];
            if (a->key != r->key || !is_write(a))
                continue;
            if (len >= r->list.len || h->lists.data[r->list.start + len] != a->value)
                return false;
            len++;
        }
    }
    return len == r->list.len;
}

static bool read_stands(const struct view *v, uint32_t read)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read];
    uint32_t w = v->op[r->key];
    uint64_t id = h->write_ids ? h->write_ids[read] : 0;
    if (r->flags & HIST_OP_INITIAL && w != HIST_NONE)
        return false;
    if (id && (w == HIST_NONE || h->write_ids[w] != id))
        return false;
    return hist_value_eq(hist_op_value(r), value_of(v, r->key));
}

/* Is the version of `op` older than that of `newer`, by one of the orders on record? */
static bool is_older(const struct history *h, uint32_t op, uint32_t newer)
{
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        bool seen = false;
        for (uint32_t j = 0; j < o->len; j++) {
            if (seen && h->version_ops.data[o->start + j] == newer)
                return true;
            seen |= h->version_ops.data[o->start + j] == op;
        }
    }
    return false;
}

/* A write that comes too late: one before it in the order is newer. */
static const char *certify_late(const struct history *h, const expected_order *order,
                                const struct expected_answer *a)
{
    bool before = false;
    if (a->op >= h->ops.len || a->newer >= h->ops.len || hist_op_txn(h, a->op) != a->txn)
        return "the late version is not of its transaction";
    for (size_t n = 0; n + 1 < a->place; n++)
        before |= order->data[n] == hist_op_txn(h, a->newer);
    for (uint32_t i = 0; i < 2; i++) { /* both make versions */
        uint32_t op = i ? a->newer : a->op;
        const struct hist_txn *t = &h->txns.data[hist_op_txn(h, op)];
        bool last = is_write(&h->ops.data[op]);
        for (uint32_t j = op + 1; j < t->first_op + t->op_count; j++)
            last &= !is_write(&h->ops.data[j]) || h->ops.data[j].key != h->ops.data[op].key;
        before &= last;
    }
    return before && is_older(h, a->op, a->newer) ? NULL : "the version is not late";
}

static const char *certify_disagreement(const struct history *h, const expected_order *order,
                                        const struct expected_answer *a, struct arena *messages)
{
    struct view v;
    bool stands = true;
    uint32_t at = a->op;
    if (!a->place || a->place > order->len || order->data[a->place - 1] != a->txn)
        return "the disagreement is not at that place of the order";
    if (a->newer != HIST_NONE)
        return certify_late(h, order, a);
    if (at == HIST_NONE && a->predicate < h->predicates.len)
        at = h->predicates.data[a->predicate].first_op;
    const struct hist_txn *t = &h->txns.data[a->txn];
    if (at < t->first_op || at > t->first_op + t->op_count ||
        (a->op != HIST_NONE && (at == t->first_op + t->op_count || is_write(&h->ops.data[at]) ||
                                h->ops.data[at].flags & HIST_OP_FAILED)))
        return "the disagreement is not of a read of its transaction";
    view_init(&v, h);
    view_chain(&v, order);
    for (size_t n = 0; n + 1 < a->place; n++)
        run_txn(&v, order->data[n], UINT32_MAX, false);
    run_txn(&v, a->txn, at, false);
    if (a->op == HIST_NONE)
        stands = predicate_stands(&v, &h->predicates.data[a->predicate]);
    else if (h->ops.data[at].kind == HIST_LIST_READ)
        stands = list_stands(h, order, a->place - 1, at);
    else
        stands = read_stands(&v, at);
    view_free(&v);
    return stands ? wrong(h, a->txn, "agrees with the order", messages) : NULL;
}

static const char *certify_predicates(const struct history *h, const expected_order *order,
                                      struct arena *messages)
{
    struct view v;
    const char *error = NULL;
    view_init(&v, h);
    view_chain(&v, order);
    for (size_t n = 0; n < order->len && !error; n++)
        if (!run_txn(&v, order->data[n], UINT32_MAX, true))
            error = wrong(h, order->data[n], "a predicate read does not agree with the order",
                          messages);
    view_free(&v);
    return error;
}

const char *certify_replay(const struct history *h, const expected_order *order,
                           const struct expected_answer *a, struct arena *messages)
{
    if (a->disagreement)
        return certify_disagreement(h, order, a, messages);
    struct certificate c = {.level = {MODEL_SER, false, LEVEL_NO_TIME},
                            .kind = CHECK_SERIAL,
                            .order = order->data,
                            .len = order->len};
    const char *error = certify_events(h, &c, messages);
    if (!error)
        error = certify_version_orders(h, &c, messages);
    return error || !h->predicates.len ? error : certify_predicates(h, order, messages);
}
