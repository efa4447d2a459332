/* Certificates of the levels that are not about one order of begins and commits: an arbitration
 * order of the transactions (and, where several writes explain a read, which one it saw).  We take
 * the least visibility that the level's axioms ask for, and check that every external read sees the
 * last visible writer of its row; more visibility never helps.  For RCS the least prefixes.
 *
 * This file indexes the order and checks what concerns single transactions; certify_snapshot.c has
 * the levels. */
#include "history/certify_vis.h"

#include "base/strbuf.h"
#include "history/certify_snapshot.h"

const char *vis_bad_read(const struct vis *v, uint32_t op, const char *why)
{
    struct strbuf b = {0};
    hist_op_text(v->h, op, &b);
    sb_puts(&b, " of ");
    hist_txn_text(v->h, hist_op_txn(v->h, op), &b);
    const char *text = arena_printf(v->messages, "%s %s", sb_str(&b), why);
    sb_free(&b);
    return text;
}

const char *vis_bad_txn(const struct vis *v, uint32_t txn, const char *why)
{
    struct strbuf b = {0};
    hist_txn_text(v->h, txn, &b);
    const char *text = arena_printf(v->messages, "transaction %s %s", sb_str(&b), why);
    sb_free(&b);
    return text;
}

/* --- the order ------------------------------------------------------------------------------- */

static const char *place(struct vis *v)
{
    const struct history *h = v->h;
    for (size_t i = 0; i < v->c->len; i++) {
        uint32_t t = v->c->order[i];
        if (t >= h->txns.len)
            return "the order names a transaction that does not exist";
        if (h->txns.data[t].status == HIST_ABORTED)
            return vis_bad_txn(v, t, "was aborted");
        if (v->pos[t])
            return vis_bad_txn(v, t, "is there twice");
        v->pos[t] = (uint32_t)i + 1;
    }
    for (uint32_t t = 0; t < h->txns.len; t++)
        if (h->txns.data[t].status == HIST_COMMITTED && !v->pos[t])
            return vis_bad_txn(v, t, "is missing");
    for (uint32_t s = 0; s < h->session_count && v->c->level.session_order; s++) {
        uint32_t last = 0;
        for (uint32_t i = h->session_start[s]; i < h->session_start[s + 1]; i++) {
            uint32_t at = v->pos[h->session_txns[i]];
            if (at && at < last)
                return vis_bad_txn(v, h->session_txns[i],
                                   "is before an earlier one of its session");
            last = at ? at : last;
        }
    }
    return NULL;
}

/* --- single transactions --------------------------------------------------------------------- */

static bool agrees(const struct vis *v, uint32_t read, uint32_t before)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read], *b = &h->ops.data[before];
    if (!hist_value_eq(hist_op_value(r), hist_op_value(b)))
        return false;
    if (h->write_ids && h->write_ids[read] != h->write_ids[before])
        return false;
    return !((r->flags ^ b->flags) & HIST_OP_INITIAL) || (b->kind == HIST_READ && !h->write_ids);
}

/* A list read after another: the same list, then what was appended in between. */
static bool list_agrees(const struct vis *v, uint32_t read, uint32_t before)
{
    const struct history *h = v->h;
    const struct hist_op *r = &h->ops.data[read], *b = &h->ops.data[before];
    uint32_t m, n;
    return vis_list_ends_with_own(v, read, &m) && vis_list_ends_with_own(v, before, &n) && m == n &&
           !memcmp(h->lists.data + r->list.start, h->lists.data + b->list.start,
                   m * sizeof *h->lists.data);
}

/* last_read, last_write: per key, operations; those of other transactions do not count. */
static const char *scan_txn(struct vis *v, uint32_t t, uint32_t *last_read, uint32_t *last_write)
{
    const struct history *h = v->h;
    uint32_t first = h->txns.data[t].first_op, end = first + h->txns.data[t].op_count;
    for (uint32_t i = first; i < end; i++) {
        const struct hist_op *op = &h->ops.data[i];
        uint32_t read = last_read[op->key], write = last_write[op->key];
        bool has_read = read != HIST_NONE && read >= first && read < i;
        bool wrote = write != HIST_NONE && write >= first && write < i;
        v->op_txn[i] = t;
        if (op->flags & HIST_OP_FAILED)
            continue;
        if (op->kind == HIST_WRITE || op->kind == HIST_APPEND) {
            if (wrote)
                v->cls[write] = 0;
            v->cls[i] = VIS_FINAL;
            last_write[op->key] = i;
            continue;
        }
        bool list = op->kind == HIST_LIST_READ;
        if (wrote && !list) {
            if (!agrees(v, i, write))
                return vis_bad_read(v, i, "is not its own write");
            v->cls[i] = VIS_INTERNAL;
        } else if (has_read && !v->per_read) {
            if (list ? !list_agrees(v, i, read) : !agrees(v, i, read))
                return vis_bad_read(v, i, "differs from an earlier read");
            v->cls[i] = VIS_INTERNAL;
        } else {
            v->cls[i] = VIS_EXTERNAL;
        }
        last_read[op->key] = i;
    }
    return NULL;
}

static uint32_t *filled(size_t n, int byte)
{
    uint32_t *p = mem_alloc(mem_mul(n + 2, sizeof *p));
    memset(p, byte, (n + 2) * sizeof *p);
    return p;
}

static const char *scan(struct vis *v)
{
    const struct history *h = v->h;
    uint32_t *last_read = filled(h->keys.len, 0xff), *last_write = filled(h->keys.len, 0xff);
    const char *error = NULL;
    for (uint32_t t = 0; t < h->txns.len && !error; t++)
        if (v->pos[t])
            error = scan_txn(v, t, last_read, last_write);
        else
            for (uint32_t i = 0; i < h->txns.data[t].op_count; i++)
                v->op_txn[h->txns.data[t].first_op + i] = t;
    mem_free(last_read);
    mem_free(last_write);
    return error;
}

/* --- writes by key --------------------------------------------------------------------------- */

static void start_from_counts(uint32_t *start, size_t keys)
{
    uint32_t total = 0;
    for (size_t k = 0; k <= keys; k++) {
        uint32_t count = start[k];
        start[k] = total;
        total += count;
    }
}

static bool is_append(const struct hist_op *op)
{
    return op->kind == HIST_APPEND && !(op->flags & HIST_OP_FAILED);
}

static void index_writes(struct vis *v)
{
    const struct history *h = v->h;
    size_t keys = h->keys.len;
    v->write_start = filled(keys, 0);
    v->append_start = filled(keys, 0);
    for (uint32_t i = 0; i < h->ops.len; i++) {
        bool in = v->pos[v->op_txn[i]];
        v->write_start[h->ops.data[i].key] += in && v->cls[i] & VIS_FINAL;
        v->append_start[h->ops.data[i].key] += in && is_append(&h->ops.data[i]);
    }
    start_from_counts(v->write_start, keys);
    start_from_counts(v->append_start, keys);
    v->writes = filled(v->write_start[keys], 0);
    v->appends = mem_calloc((size_t)v->append_start[keys] + 1, sizeof *v->appends);
    if (v->append_start[keys])
        v->append_count = filled(h->ops.len, 0);
    uint32_t *write = filled(keys, 0), *append = filled(keys, 0);
    for (size_t n = 0; n < v->c->len; n++) {
        const struct hist_txn *t = &h->txns.data[v->c->order[n]];
        for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
            uint32_t k = h->ops.data[i].key;
            if (is_append(&h->ops.data[i]))
                v->appends[v->append_start[k] + append[k]++] = h->ops.data[i].value;
            if (v->cls[i] & VIS_FINAL)
                v->writes[v->write_start[k] + write[k]++] = i;
            if (v->cls[i] & VIS_FINAL && is_append(&h->ops.data[i]))
                v->append_count[i] = append[k];
        }
    }
    mem_free(write);
    mem_free(append);
}

/* --- all together ---------------------------------------------------------------------------- */

static const char *check(struct vis *v)
{
    const char *error = place(v);
    if (!error)
        error = scan(v);
    if (error)
        return error;
    index_writes(v);
    if (v->c->level.model == MODEL_RCS)
        return vis_check_statements(v);
    error = vis_find_sources(v);
    if (error)
        return error;
    switch (v->c->level.model) {
    case MODEL_RC:
        return vis_check_rc(v);
    case MODEL_RA:
        return vis_check_ra(v);
    default:
        return vis_check_causal(v);
    }
}

const char *certify_arbitration(const struct history *h, const struct certificate *c,
                                struct arena *messages)
{
    if (c->level.real_time != CHECK_NO_TIME)
        return "real-time order is not defined for the level";
    struct vis v = {.h = h, .c = c, .messages = messages};
    v.per_read = model_get(c->level.model)->snapshot != SNAPSHOT_TRANSACTION;
    v.pos = filled(h->txns.len, 0);
    v.cls = mem_calloc(h->ops.len + 1, 1);
    v.op_txn = filled(h->ops.len, 0);
    v.source = filled(h->ops.len, 0xff);
    v.initial = hist_initial_values(h);
    const char *error = check(&v);
    mem_free(v.pos);
    mem_free(v.cls);
    mem_free(v.op_txn);
    mem_free(v.source);
    mem_free(v.initial);
    mem_free(v.write_start);
    mem_free(v.writes);
    mem_free(v.append_start);
    mem_free(v.appends);
    mem_free(v.append_count);
    return error;
}
