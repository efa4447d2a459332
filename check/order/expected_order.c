/* Replaying an expected serialization order; see expected_order.h.  The state is one write per
 * register and the elements per list.  The time is linear in the history, counting rows for reads
 * of several rows. */
#include "check/order/expected_order.h"

#include <inttypes.h>

#include "base/limit.h"
#include "base/strbuf.h"
#include "history/predicate.h"

/* --- running ------------------------------------------------------------------------------- */

struct list {
    VEC(int64_t) values;
    uint32_t same_start, same_len; /* a stretch of history.lists that is equal to its beginning */
};

struct run {
    const struct history *h;
    struct arena *messages;
    struct expected_answer *out;
    const expected_order *order;
    struct hist_value *initial;
    uint32_t *last; /* per key: the write that it shows, or HIST_NONE */
    /* With version sets: the versions of each key in the order, and per write its place there, from
     * 1, or 0. */
    uint32_t *chain_start, *chain, *chain_place;
    uint32_t *set; /* per key: what the version set at hand has, or HIST_NONE */
    uint32_t late; /* place of the first transaction that writes a version too late, or 0 */
    uint32_t late_op, newer; /* … which one, and one that is newer and there already */
    struct list *lists;      /* per key; NULL without lists */
    uint8_t *list_key;
    struct pred pred;
    uint32_t next; /* the next predicate read, by transaction and operation */
    uint32_t *returned;
};

static struct hist_value current(const struct run *r, uint32_t key)
{
    return r->last[key] == HIST_NONE ? r->initial[key]
                                     : hist_op_value(&r->h->ops.data[r->last[key]]);
}

static bool sees_register(const struct run *r, uint32_t op)
{
    const struct history *h = r->h;
    const struct hist_op *o = &h->ops.data[op];
    uint32_t w = r->last[o->key];
    uint64_t id = h->write_ids ? h->write_ids[op] : 0;
    if (o->flags & HIST_OP_INITIAL && w != HIST_NONE)
        return false;
    if (id && (w == HIST_NONE || h->write_ids[w] != id))
        return false;
    return hist_value_eq(hist_op_value(o), current(r, o->key));
}

static bool sees_list(struct run *r, uint32_t op)
{
    const struct hist_op *o = &r->h->ops.data[op];
    struct list *l = &r->lists[o->key];
    uint32_t len = (uint32_t)l->values.len;
    const int64_t *list = r->h->lists.data + o->list.start;
    if (o->list.len != len)
        return false;
    uint32_t known = o->list.start == l->same_start && l->same_len <= len ? l->same_len : 0;
    if (len > known && memcmp(list + known, l->values.data + known, (len - known) * sizeof *list))
        return false;
    l->same_start = o->list.start;
    l->same_len = len;
    return true;
}

/* --- explaining ---------------------------------------------------------------------------- */

static void put_place(const struct run *r, uint32_t txn, struct strbuf *b)
{
    for (size_t i = 0; i < r->order->len; i++)
        if (r->order->data[i] == txn) {
            if (i + 1 == r->out->place)
                sb_puts(b, " itself");
            else
                sb_printf(b, " (number %zu of the order%s)", i + 1,
                          i + 1 > r->out->place ? ", later" : "");
            return;
        }
    sb_puts(b, r->h->txns.data[txn].status == HIST_ABORTED ? " (which aborted)"
                                                           : " (which is not in the order)");
}

/* Who wrote what the read saw. */
static void put_source(const struct run *r, uint32_t read, struct strbuf *b)
{
    const struct history *h = r->h;
    const struct hist_op *o = &h->ops.data[read];
    int found = 0;
    uint64_t id = h->write_ids ? h->write_ids[read] : 0;
    for (uint32_t i = 0; i < h->ops.len && found < 3; i++) {
        const struct hist_op *w = &h->ops.data[i];
        if (w->kind != HIST_WRITE || w->key != o->key || w->flags & HIST_OP_FAILED ||
            !hist_value_eq(hist_op_value(w), hist_op_value(o)) || (id && h->write_ids[i] != id))
            continue;
        uint32_t txn = hist_op_txn(h, i);
        sb_puts(b, found++ ? "; also by " : "; what it saw was written by ");
        hist_txn_text(h, txn, b);
        put_place(r, txn, b);
    }
    if (!found)
        sb_puts(b, hist_value_eq(hist_op_value(o), r->initial[o->key])
                       ? "; what it saw is the initial value"
                       : "; nobody wrote what it saw");
}

/* "key x is 3 there, as T0.1, number 2 of the order, wrote it" */
static void put_state(const struct run *r, uint32_t key, struct strbuf *b)
{
    sb_puts(b, "key ");
    hist_key_text(r->h, key, b);
    sb_puts(b, " is ");
    if (r->list_key[key]) {
        const struct list *l = &r->lists[key];
        sb_putc(b, '[');
        for (size_t i = 0; i < l->values.len; i++) {
            if (i)
                sb_putc(b, ' ');
            hist_value_to_text(r->h, hist_int(l->values.data[i]), b);
        }
        sb_putc(b, ']');
    } else
        hist_value_to_text(r->h, current(r, key), b);
    sb_puts(b, " there");
    if (r->last[key] == HIST_NONE) {
        sb_puts(b, ", as in the beginning");
        return;
    }
    uint32_t txn = hist_op_txn(r->h, r->last[key]);
    sb_puts(b, ", as ");
    hist_txn_text(r->h, txn, b);
    put_place(r, txn, b);
    sb_puts(b, " wrote it");
}

static void disagree(struct run *r, uint32_t op, struct strbuf *b)
{
    r->out->op = op;
    r->out->disagreement = arena_strdup(r->messages, sb_str(b));
    sb_free(b);
}

static void bad_read(struct run *r, uint32_t op)
{
    struct strbuf b = {0};
    hist_txn_text(r->h, r->out->txn, &b);
    sb_printf(&b, ", number %zu of the order, ", r->out->place);
    if (r->h->ops.data[op].flags & HIST_OP_NOT_FOUND) {
        sb_puts(&b, "read a range and did not find ");
        hist_key_text(r->h, r->h->ops.data[op].key, &b);
    } else {
        sb_puts(&b, "has ");
        hist_op_text(r->h, op, &b);
    }
    sb_puts(&b, ", but ");
    put_state(r, r->h->ops.data[op].key, &b);
    if (r->h->ops.data[op].kind == HIST_READ)
        put_source(r, op, &b);
    disagree(r, op, &b);
}

/* --- reads of several rows ----------------------------------------------------------------- */

static void begin_rows(const struct run *r, const struct hist_predicate *q, struct strbuf *b)
{
    hist_txn_text(r->h, q->txn, b);
    sb_printf(b, ", number %zu of the order, read ", r->out->place);
    pred_read_text(r->h, q, b);
}

static bool version_matches(const struct run *r, const struct hist_predicate *q, uint32_t key,
                            uint32_t place)
{
    struct hist_value v =
        place ? hist_op_value(&r->h->ops.data[r->chain[r->chain_start[key] + place - 1]])
              : r->initial[key];
    return pred_matches(&r->pred, q, key, v);
}

/* Is the set's version of the row the current one, or another, and those from the one to the other
 * all match or all do not?  Rows that came back, and those that a number is made of, are items. */
static bool sees_set(const struct run *r, const struct hist_predicate *q, uint32_t key,
                     bool matches)
{
    uint32_t now = r->last[key], set = r->set[key];
    if (now != HIST_NONE && now >= r->h->txns.data[q->txn].first_op && now < q->first_op)
        return true; /* its own */
    if (now == set || (matches && q->kind != HIST_COUNT))
        return now == set;
    if (set != HIST_NONE && !r->chain_place[set])
        return false; /* no version */
    uint32_t from = now == HIST_NONE ? 0 : r->chain_place[now];
    uint32_t to = set == HIST_NONE ? 0 : r->chain_place[set];
    for (uint32_t i = from < to ? from : to; i <= (from < to ? to : from); i++)
        if (version_matches(r, q, key, i) != matches)
            return false;
    return true;
}

static void bad_set(struct run *r, const struct hist_predicate *q, uint32_t key)
{
    struct strbuf b = {0};
    begin_rows(r, q, &b);
    sb_puts(&b, ", and its version set has ");
    if (r->set[key] == HIST_NONE) {
        sb_puts(&b, "the initial version of ");
        hist_key_text(r->h, key, &b);
    } else {
        uint32_t txn = hist_op_txn(r->h, r->set[key]);
        hist_key_text(r->h, key, &b);
        sb_puts(&b, " as ");
        hist_txn_text(r->h, txn, &b);
        put_place(r, txn, &b);
        sb_puts(&b, " wrote it");
    }
    sb_puts(&b, ", but ");
    put_state(r, key, &b);
    r->out->predicate = (uint32_t)(q - r->h->predicates.data);
    disagree(r, HIST_NONE, &b);
}

static void check_set(struct run *r, const struct hist_predicate *q)
{
    const struct history *h = r->h;
    for (uint32_t i = q->set; i < q->set + q->set_count; i++)
        r->set[h->ops.data[h->set_ops.data[i]].key] = h->set_ops.data[i];
    for (uint32_t k = 0; k < h->keys.len && !r->out->disagreement; k++)
        if (!r->list_key[k] && !sees_set(r, q, k, pred_matches(&r->pred, q, k, current(r, k))))
            bad_set(r, q, k);
    for (uint32_t i = q->set; i < q->set + q->set_count; i++)
        r->set[h->ops.data[h->set_ops.data[i]].key] = HIST_NONE;
}

/* The rows that were returned are ordinary reads; here it is about which ones. */
static void check_predicate(struct run *r, const struct hist_predicate *q)
{
    const struct history *h = r->h;
    struct pred_sum sum = {0};
    struct strbuf b = {0};
    if (q->failed || q->kind == HIST_RANGE)
        return;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        r->returned[h->ops.data[i].key] = q->txn + 1;
    for (uint32_t k = 0; k < h->keys.len && !r->out->disagreement; k++) {
        bool matches = !r->list_key[k] && pred_matches(&r->pred, q, k, current(r, k));
        if (matches)
            pred_add(&r->pred, q, k, current(r, k), &sum);
        if (q->kind != HIST_ROWS || matches == (r->returned[k] == q->txn + 1))
            continue;
        begin_rows(r, q, &b);
        sb_printf(&b, " and %s, but ",
                  matches ? "did not return a row that matches"
                          : "returned a row that does not match");
        put_state(r, k, &b);
        r->out->predicate = (uint32_t)(q - h->predicates.data);
        disagree(r, HIST_NONE, &b);
    }
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        r->returned[h->ops.data[i].key] = 0;
    if (!r->out->disagreement && (q->kind < HIST_COUNT || pred_agrees(q, &sum)) && q->has_set)
        check_set(r, q);
    if (r->out->disagreement || q->kind < HIST_COUNT || pred_agrees(q, &sum))
        return;
    begin_rows(r, q, &b);
    sb_puts(&b, " as ");
    if (q->result.null)
        sb_puts(&b, "null");
    else
        sb_printf(&b, "%" PRId64, q->result.value);
    sb_puts(&b, ", but it is ");
    pred_sum_text(q, &sum, &b);
    sb_puts(&b, " there");
    r->out->predicate = (uint32_t)(q - h->predicates.data);
    disagree(r, HIST_NONE, &b);
}

static void check_predicates(struct run *r, uint32_t txn, uint32_t op)
{
    const struct history *h = r->h;
    for (; r->next < h->predicates.len && h->predicates.data[r->next].txn == txn &&
           h->predicates.data[r->next].first_op == op;
         r->next++)
        if (!r->out->disagreement)
            check_predicate(r, &h->predicates.data[r->next]);
}

/* --- version orders ------------------------------------------------------------------------- */

/* Per operation that makes a version: the place of its transaction in the order, from 1; else 0. */
static uint32_t *version_places(const struct run *r)
{
    const struct history *h = r->h;
    uint32_t *place = mem_calloc(h->ops.len + 1, sizeof *place);
    uint32_t *last = mem_calloc(h->keys.len + 1, sizeof *last); /* who wrote it last, from 1 */
    for (uint32_t n = 1; n <= r->order->len; n++) {
        const struct hist_txn *t = &h->txns.data[r->order->data[n - 1]];
        for (uint32_t i = t->first_op + t->op_count; i-- > t->first_op;) {
            const struct hist_op *op = &h->ops.data[i];
            bool write = op->kind == HIST_WRITE || op->kind == HIST_APPEND;
            if (write && !(op->flags & HIST_OP_FAILED) && last[op->key] != n)
                place[i] = last[op->key] = n;
        }
    }
    mem_free(last);
    return place;
}

/* For version sets. */
static void make_chains(struct run *r)
{
    const struct history *h = r->h;
    size_t keys = h->keys.len + 2;
    uint32_t *place = version_places(r);
    r->chain_start = mem_calloc(keys, sizeof *r->chain_start);
    r->chain = mem_alloc(mem_mul(h->ops.len + 1, sizeof *r->chain));
    r->chain_place = mem_calloc(h->ops.len + 1, sizeof *r->chain_place);
    r->set = mem_alloc(mem_mul(keys, sizeof *r->set));
    memset(r->set, 0xff, keys * sizeof *r->set);
    for (uint32_t i = 0; i < h->ops.len; i++)
        r->chain_start[h->ops.data[i].key + 1] += place[i] != 0;
    for (size_t k = 1; k < keys; k++)
        r->chain_start[k] += r->chain_start[k - 1];
    uint32_t *len = mem_calloc(keys, sizeof *len);
    for (size_t n = 0; n < r->order->len; n++) {
        const struct hist_txn *t = &h->txns.data[r->order->data[n]];
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
            uint32_t key = h->ops.data[i].key;
            if (!place[i])
                continue;
            r->chain[r->chain_start[key] + len[key]] = i;
            r->chain_place[i] = ++len[key];
        }
    }
    mem_free(len);
    mem_free(place);
}

/* Who writes a version although a newer one is there already: the first one in the order. */
static void find_late_version(struct run *r)
{
    const struct history *h = r->h;
    if (!h->version_orders.len)
        return;
    uint32_t *place = version_places(r);
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        uint32_t newer = HIST_NONE; /* of those behind it: the first in the order */
        for (uint32_t j = o->len; j-- > 0;) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (!place[op])
                continue;
            if (newer == HIST_NONE || place[op] < place[newer]) {
                newer = op;
            } else if (!r->late || place[op] < r->late) {
                r->late = place[op];
                r->late_op = op;
                r->newer = newer;
            }
        }
    }
    mem_free(place);
}

static void late_version(struct run *r)
{
    struct strbuf b = {0};
    uint32_t op = r->late_op, newer = r->newer, txn = hist_op_txn(r->h, newer);
    r->out->newer = newer;
    hist_txn_text(r->h, r->out->txn, &b);
    sb_printf(&b, ", number %zu of the order, has ", r->out->place);
    hist_op_text(r->h, op, &b);
    sb_puts(&b, ", but by the version order that is older than ");
    hist_op_text(r->h, newer, &b);
    sb_puts(&b, " of ");
    hist_txn_text(r->h, txn, &b);
    put_place(r, txn, &b);
    disagree(r, op, &b);
}

/* --- all transactions ---------------------------------------------------------------------- */

static void run_op(struct run *r, uint32_t i)
{
    const struct hist_op *op = &r->h->ops.data[i];
    if (op->flags & HIST_OP_FAILED)
        return;
    switch (op->kind) {
    case HIST_READ:
        if (!sees_register(r, i))
            bad_read(r, i);
        break;
    case HIST_LIST_READ:
        if (!sees_list(r, i))
            bad_read(r, i);
        break;
    default:
        r->last[op->key] = i;
        if (op->kind == HIST_APPEND)
            vec_push(&r->lists[op->key].values, op->value);
    }
}

static void run_txn(struct run *r, uint32_t txn)
{
    const struct history *h = r->h;
    const struct hist_txn *t = &h->txns.data[txn];
    uint32_t end = t->first_op + t->op_count;
    r->out->txn = txn;
    if (h->predicates.len)
        r->next = hist_first_predicate(h, txn);
    for (uint32_t i = t->first_op; i <= end && !r->out->disagreement; i++) {
        if (h->predicates.len)
            check_predicates(r, txn, i);
        if (i < end && !r->out->disagreement)
            run_op(r, i);
    }
}

static void find_session_fault(struct run *r)
{
    const struct history *h = r->h;
    uint32_t *next = mem_calloc(h->session_count + 1, sizeof *next);
    r->out->against_session = HIST_NONE;
    for (size_t i = 0; i < r->order->len; i++) {
        const struct hist_txn *t = &h->txns.data[r->order->data[i]];
        if (t->index < next[t->session])
            r->out->against_session = r->order->data[i];
        else
            next[t->session] = t->index + 1;
    }
    mem_free(next);
}

void expected_order_run(const struct history *h, const expected_order *order,
                        struct arena *messages, struct expected_answer *out)
{
    struct run r = {.h = h, .messages = messages, .out = out, .order = order};
    *out = (struct expected_answer){
        .txn = HIST_NONE, .op = HIST_NONE, .predicate = HIST_NONE, .newer = HIST_NONE};
    size_t keys = h->keys.len + 1;
    bool sets = false;
    for (size_t i = 0; i < h->predicates.len && !sets; i++)
        sets = h->predicates.data[i].has_set;
    if (sets)
        make_chains(&r);
    r.initial = hist_initial_values(h);
    r.last = mem_alloc(mem_mul(keys, sizeof *r.last));
    memset(r.last, 0xff, keys * sizeof *r.last);
    r.list_key = mem_calloc(keys, 1);
    r.returned = mem_calloc(keys, sizeof *r.returned);
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind >= HIST_APPEND)
            r.list_key[h->ops.data[i].key] = 1;
    r.lists = mem_calloc(keys, sizeof *r.lists);
    pred_init(&r.pred, h);
    find_session_fault(&r);
    find_late_version(&r);
    for (size_t i = 0; i < order->len && !out->disagreement && !out->stopped; i++) {
        out->place = i + 1;
        run_txn(&r, order->data[i]);
        if (i + 1 == r.late && !out->disagreement)
            late_version(&r);
        if (!(i & 1023) && limit_reached())
            out->stopped = limit_text();
    }
    for (size_t k = 0; k < keys; k++)
        vec_free(&r.lists[k].values);
    mem_free(r.lists);
    mem_free(r.initial);
    mem_free(r.last);
    mem_free(r.chain_start);
    mem_free(r.chain);
    mem_free(r.chain_place);
    mem_free(r.set);
    mem_free(r.list_key);
    mem_free(r.returned);
    pred_free(&r.pred);
}
