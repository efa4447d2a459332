/* Expected orders against everything that was read; see certify_whitebox.h.  Rows are looked at one
 * at a time, by the definitions. */
#include "certify/order/certify_orders.h"
#include "certify/predicate/certify_view.h"
#include "certify/predicate/certify_whitebox.h"

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
            if (!hist_is_write(&h->ops.data[i]))
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
    bool matches = pred_matches(&v->pred, q, key, view_value(v, key));
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
        stands =
            v->list_key[k] || view_own_write(h, q, k) != HIST_NONE || set_version_stands(v, q, k);
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
        return view_sum_stands(v, q);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        v->returned[v->h->ops.data[i].key] = i;
    for (uint32_t k = 0; k < v->h->keys.len && stands; k++)
        stands = v->list_key[k] ||
                 pred_matches(&v->pred, q, k, view_value(v, k)) == (v->returned[k] != HIST_NONE);
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
        if (i < end && i < t->first_op + t->op_count && hist_is_write(&h->ops.data[i]))
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
            if (a->key != r->key || !hist_is_write(a))
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
    return hist_value_eq(hist_op_value(r), view_value(v, r->key));
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
        bool last = hist_is_write(&h->ops.data[op]);
        for (uint32_t j = op + 1; j < t->first_op + t->op_count; j++)
            last &= !hist_is_write(&h->ops.data[j]) || h->ops.data[j].key != h->ops.data[op].key;
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
        (a->op != HIST_NONE &&
         (at == t->first_op + t->op_count || hist_is_write(&h->ops.data[at]) ||
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
    return stands ? view_wrong(h, a->txn, "agrees with the order", messages) : NULL;
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
            error = view_wrong(h, order->data[n], "a predicate read does not agree with the order",
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
