/* Completing reads by other reads of the same version; see rereads.h. */
#include "history/rereads.h"

/* Of a key, in one transaction: what its reads say before the first write, and the last write. */
struct row {
    uint32_t first; /* the read that said it first, or the first read; HIST_NONE: there is none */
    uint32_t write;
    uint32_t txn; /* 1 + the transaction that this is of */
    bool split;   /* the reads contradict each other: let others say so */
};

struct settling {
    const struct history *h;
    struct history *view;
    bool per_read;
    struct row *rows; /* per key */
    bool changed;
};

static uint64_t id_of(const struct history *h, uint32_t op)
{
    return h->write_ids ? h->write_ids[op] : 0;
}

static bool says(const struct history *h, uint32_t op)
{
    return h->ops.data[op].flags & HIST_OP_INITIAL || id_of(h, op);
}

static bool says_the_same(const struct history *h, uint32_t a, uint32_t b)
{
    return id_of(h, a) == id_of(h, b) &&
           !((h->ops.data[a].flags ^ h->ops.data[b].flags) & HIST_OP_INITIAL);
}

static bool same_value(const struct history *h, uint32_t a, uint32_t b)
{
    return hist_value_eq(hist_op_value(&h->ops.data[a]), hist_op_value(&h->ops.data[b]));
}

static struct row *row_of(struct settling *s, uint32_t txn, uint32_t key)
{
    struct row *row = &s->rows[key];
    if (row->txn != txn + 1)
        *row = (struct row){HIST_NONE, HIST_NONE, txn + 1, false};
    return row;
}

/* The view gets operations of its own when the first one changes. */
static void tell(struct settling *s, uint32_t op, uint32_t from)
{
    const struct history *h = s->h;
    struct history *v = s->view;
    if (!s->changed) {
        *v = *h;
        v->ops.data = mem_alloc(mem_mul(h->ops.len, sizeof *v->ops.data));
        memcpy(v->ops.data, h->ops.data, h->ops.len * sizeof *v->ops.data);
        if (h->write_ids) {
            v->write_ids = mem_alloc(mem_mul(h->ops.len, sizeof *v->write_ids));
            memcpy(v->write_ids, h->write_ids, h->ops.len * sizeof *v->write_ids);
        }
        s->changed = true;
    }
    v->ops.data[op].flags |= h->ops.data[from].flags & HIST_OP_INITIAL;
    if (h->write_ids)
        v->write_ids[op] = h->write_ids[from];
}

static bool is_plain_read(const struct hist_op *op)
{
    return op->kind == HIST_READ && !(op->flags & (HIST_OP_FAILED | HIST_OP_ANY));
}

/* First pass: who knows most. */
static void collect(struct settling *s, uint32_t txn, uint32_t i)
{
    const struct history *h = s->h;
    const struct hist_op *op = &h->ops.data[i];
    struct row *row = row_of(s, txn, op->key);
    if (hist_is_row_write(op))
        row->write = i;
    if (!is_plain_read(op) || row->write != HIST_NONE)
        return;
    if (row->first == HIST_NONE || (!says(h, row->first) && says(h, i)))
        row->first = i;
    else if (says(h, i))
        row->split |= !says_the_same(h, row->first, i);
}

/* Second pass: `write` is the last one so far again. */
static void spread(struct settling *s, uint32_t txn, uint32_t i)
{
    const struct history *h = s->h;
    const struct hist_op *op = &h->ops.data[i];
    struct row *row = row_of(s, txn, op->key);
    if (hist_is_row_write(op))
        row->write = i;
    if (!is_plain_read(op) || says(h, i))
        return;
    uint32_t from = row->write != HIST_NONE     ? row->write
                    : s->per_read || row->split ? HIST_NONE
                                                : row->first;
    if (from != HIST_NONE && says(h, from) && same_value(h, from, i))
        tell(s, i, from);
}

static void settle_txn(struct settling *s, uint32_t txn)
{
    const struct hist_txn *t = &s->h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        collect(s, txn, i);
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        row_of(s, txn, s->h->ops.data[i].key)->write = HIST_NONE;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        spread(s, txn, i);
}

static bool says_anything(const struct history *h)
{
    for (size_t i = 0; i < h->ops.len && !h->write_ids; i++)
        if (h->ops.data[i].flags & HIST_OP_INITIAL)
            return true;
    return h->write_ids;
}

const struct history *rereads_settle(const struct history *h, struct level level,
                                     struct history *view)
{
    if (!says_anything(h))
        return h;
    struct settling s = {.h = h, .view = view};
    s.per_read = model_get(level.model)->snapshot != SNAPSHOT_TRANSACTION;
    s.rows = mem_calloc(h->keys.len + 1, sizeof *s.rows);
    for (uint32_t t = 0; t < h->txns.len; t++)
        settle_txn(&s, t);
    mem_free(s.rows);
    return s.changed ? view : h;
}

void rereads_free(const struct history *settled, struct history *view)
{
    if (settled != view)
        return;
    mem_free(view->ops.data);
    mem_free(view->write_ids);
}
