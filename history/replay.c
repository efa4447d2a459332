/* Replaying an expected serialization order; see replay.h.  The state is one write per register,
 * the elements per list; everything is linear in the history (reads of several rows: in the rows).
 */
#include "history/replay.h"

#include <inttypes.h>

#include "base/limit.h"
#include "base/strbuf.h"
#include "history/predicate.h"

/* --- reading an order ---------------------------------------------------------------------- */

struct reader {
    const struct history *h;
    const char *path, *p, *end;
    size_t line; /* 0: the file as a whole */
    struct arena *messages;
    struct map labels; /* built when the first is needed */
    uint8_t *seen;
};

static const char *wrong(const struct reader *r, uint32_t txn, const char *what)
{
    struct strbuf b = {0};
    if (txn != HIST_NONE) {
        sb_puts(&b, "transaction ");
        hist_txn_text(r->h, txn, &b);
        sb_putc(&b, ' ');
    }
    sb_puts(&b, what);
    const char *text = r->line
                           ? arena_printf(r->messages, "%s:%zu: %s", r->path, r->line, sb_str(&b))
                           : arena_printf(r->messages, "%s: %s", r->path, sb_str(&b));
    sb_free(&b);
    return text;
}

static bool number(struct reader *r, uint64_t *out)
{
    uint64_t v = 0;
    const char *start = r->p;
    for (; *r->p >= '0' && *r->p <= '9'; r->p++) {
        if (v > (UINT64_MAX - 9) / 10)
            return false;
        v = v * 10 + (uint64_t)(*r->p - '0');
    }
    *out = v;
    return r->p > start;
}

static uint32_t by_label(struct reader *r, uint64_t label, bool *several)
{
    const struct history *h = r->h;
    if (!h->labels)
        return HIST_NONE;
    if (!r->labels.len)
        for (uint32_t t = 0; t < h->txns.len; t++)
            if (h->labels[t] != HIST_NO_LABEL) {
                bool fresh;
                uint64_t *slot = map_put(&r->labels, h->labels[t], t, &fresh);
                *slot = fresh ? t : HIST_NONE; /* two of one number: neither */
            }
    const uint64_t *slot = map_get(&r->labels, label);
    *several = slot && *slot == HIST_NONE;
    return slot ? (uint32_t)*slot : HIST_NONE;
}

static const char *one_txn(struct reader *r, uint32_t *out)
{
    const struct history *h = r->h;
    uint64_t s, i;
    if (r->p[0] == 't' && r->p[1] == ' ')
        r->p += 2;
    *out = HIST_NONE;
    if (*r->p == 'T') {
        r->p++;
        if (!number(r, &s))
            return wrong(r, HIST_NONE, "expected a transaction: session.index, or T and a number");
        bool several = false;
        *out = by_label(r, s, &several);
        if (several)
            return wrong(r, HIST_NONE,
                         "several transactions have this number: name it session.index");
    } else {
        if (!number(r, &s) || *r->p++ != '.' || !number(r, &i))
            return wrong(r, HIST_NONE, "expected a transaction: session.index, or T and a number");
        if (s < h->session_count && i < h->session_start[s + 1] - h->session_start[s])
            *out = h->session_txns[h->session_start[s] + i];
    }
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\r')
        r->p++;
    if (*r->p != '\n' && r->p != r->end)
        return wrong(r, HIST_NONE, "expected one transaction on a line");
    return *out == HIST_NONE ? wrong(r, HIST_NONE,
                                     "the history has no such transaction (sessions and their "
                                     "transactions count from 0)")
                             : NULL;
}

static const char *take(struct reader *r, replay_order *out)
{
    uint32_t txn;
    const char *error = one_txn(r, &txn);
    if (error)
        return error;
    if (r->seen[txn])
        return wrong(r, txn, "stands in the order twice");
    if (r->h->txns.data[txn].status == HIST_ABORTED)
        return wrong(r, txn, "was aborted and cannot stand in the order");
    r->seen[txn] = 1;
    vec_push(out, txn);
    return NULL;
}

const char *replay_read(const struct history *h, const char *path, const char *text, size_t size,
                        struct arena *messages, replay_order *out)
{
    struct reader r = {.h = h, .path = path, .p = text, .end = text + size, .messages = messages};
    const char *error = NULL;
    r.seen = mem_calloc(h->txns.len + 1, 1);
    while (r.p < r.end && !error) {
        r.line++;
        while (*r.p == ' ' || *r.p == '\t' || *r.p == '\r')
            r.p++;
        if (*r.p == '#')
            while (r.p < r.end && *r.p != '\n')
                r.p++;
        else if (*r.p != '\n' && r.p < r.end)
            error = take(&r, out);
        r.p += r.p < r.end;
    }
    r.line = 0;
    for (uint32_t t = 0; t < h->txns.len && !error; t++)
        if (h->txns.data[t].status == HIST_COMMITTED && !r.seen[t])
            error = wrong(&r, t, "committed, but is not in the order");
    mem_free(r.seen);
    map_free(&r.labels);
    return error;
}

/* --- running ------------------------------------------------------------------------------- */

struct list {
    VEC(int64_t) values;
    uint32_t same_start, same_len; /* a stretch of history.lists that is equal to its beginning */
};

struct run {
    const struct history *h;
    struct arena *messages;
    struct replay_answer *out;
    const replay_order *order;
    struct hist_value *initial;
    uint32_t *last;     /* per key: the write that it shows, or HIST_NONE */
    struct list *lists; /* per key; NULL without lists */
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

static void put_state(const struct run *r, uint32_t key, struct strbuf *b)
{
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
    sb_puts(&b, ", but there ");
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
        sb_printf(&b, " and %s, but there ",
                  matches ? "did not return a row that matches"
                          : "returned a row that does not match");
        put_state(r, k, &b);
        r->out->predicate = (uint32_t)(q - h->predicates.data);
        disagree(r, HIST_NONE, &b);
    }
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        r->returned[h->ops.data[i].key] = 0;
    if (r->out->disagreement || q->kind < HIST_COUNT || pred_agrees(q, &sum))
        return;
    begin_rows(r, q, &b);
    sb_puts(&b, " as ");
    if (q->result.null)
        sb_puts(&b, "null");
    else
        sb_printf(&b, "%" PRId64, q->result.value);
    sb_puts(&b, ", but there it is ");
    pred_sum_text(q, &sum, &b);
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

void replay_run(const struct history *h, const replay_order *order, struct arena *messages,
                struct replay_answer *out)
{
    struct run r = {.h = h, .messages = messages, .out = out, .order = order};
    *out = (struct replay_answer){.txn = HIST_NONE, .op = HIST_NONE, .predicate = HIST_NONE};
    size_t keys = h->keys.len + 1;
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
    for (size_t i = 0; i < order->len && !out->disagreement && !out->stopped; i++) {
        out->place = i + 1;
        run_txn(&r, order->data[i]);
        if (!(i & 1023) && limit_reached())
            out->stopped = limit_text();
    }
    for (size_t k = 0; k < keys; k++)
        vec_free(&r.lists[k].values);
    mem_free(r.lists);
    mem_free(r.initial);
    mem_free(r.last);
    mem_free(r.list_key);
    mem_free(r.returned);
    pred_free(&r.pred);
}
