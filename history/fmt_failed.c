/* Another reading of operations that failed.
 *
 * A recorded transaction may say "committed" although one of its operations failed.  Taken
 * literally, the other operations took effect together.  Many databases do something else:
 * PostgreSQL and CockroachDB refuse everything after the failure and answer COMMIT with a silent
 * rollback; MySQL and Galera roll back at a deadlock, and what follows is a new transaction.  In
 * both cases all that came before the failure had no effect.
 *
 * The published dbcop histories of CockroachDB and Galera show it: not one of the 11,156 writes
 * before a failure was ever read by anybody, of the others every second one was; and read this way,
 * all 140 of their histories that are violations when read literally satisfy their level.
 *
 * So whoever reports a violation of a history with failed operations should look at this reading
 * as well. */
#include "history/fmt_formats.h"

struct copy {
    const struct history *from;
    struct history *to;
    uint32_t *new_op; /* by old operation; HIST_NONE: it had no effect */
    size_t split;
};

/* Keys and values in the same order get the same numbers. */
static void copy_names(struct copy *c)
{
    const struct history *h = c->from;
    for (size_t i = 0; i < h->keys.len; i++) {
        const struct hist_key_name *k = &h->keys.data[i];
        if (k->text == HIST_NONE)
            hist_key_int(c->to, k->number);
        else
            hist_key_str(c->to, intern_name(&h->key_texts, k->text),
                         h->key_texts.lengths.data[k->text]);
    }
    for (uint32_t i = 0; i < h->value_names.names.len; i++)
        hist_value_text(c->to, intern_name(&h->value_names, i), h->value_names.lengths.data[i]);
    for (uint32_t s = 0; s < h->session_count; s++) {
        uint32_t name = h->session_names.data[s];
        hist_add_session(c->to, name == HIST_NONE ? NULL : intern_name(&h->texts, name));
    }
    hist_set_initial_default(c->to, h->initial_default);
    for (size_t i = 0; i < h->initials.len; i++)
        hist_set_initial(c->to, h->initials.data[i].key, h->initials.data[i].value);
    hist_set_source(c->to, h->source);
}

static void copy_op(struct copy *c, uint32_t index)
{
    const struct history *h = c->from;
    const struct hist_op *op = &h->ops.data[index];
    switch ((enum hist_kind)op->kind) {
    case HIST_READ:
        hist_read(c->to, op->key, hist_op_value(op));
        break;
    case HIST_WRITE:
        hist_write(c->to, op->key, hist_op_value(op));
        break;
    case HIST_APPEND:
        hist_append(c->to, op->key, op->value);
        break;
    case HIST_LIST_READ:
        hist_list_read(c->to, op->key, h->lists.data + op->list.start, op->list.len);
    }
    hist_op_flag(c->to, (enum hist_op_flags)(op->flags & ~HIST_OP_NULL));
    if (h->write_ids && h->write_ids[index])
        hist_write_id(c->to, h->write_ids[index]);
}

/* Operations first to end of a transaction, as one of its own. */
static void copy_part(struct copy *c, uint32_t txn, uint32_t first, uint32_t end,
                      enum hist_status status)
{
    const struct history *h = c->from;
    hist_begin_txn(c->to, h->txns.data[txn].session);
    if (h->begin_time)
        hist_txn_times(c->to, h->begin_time[txn],
                       status == HIST_ABORTED ? HIST_NO_TIME : h->commit_time[txn]);
    if (h->labels && h->labels[txn] != HIST_NO_LABEL)
        hist_txn_label(c->to, h->labels[txn]);
    if (h->names && h->names[txn] != HIST_NONE)
        hist_txn_name(c->to, intern_name(&h->texts, h->names[txn]));
    for (uint32_t i = first; i < end; i++) {
        c->new_op[i] = status == HIST_ABORTED ? HIST_NONE : (uint32_t)c->to->ops.len;
        copy_op(c, i);
    }
    hist_end_txn(c->to, status);
}

static void copy_txn(struct copy *c, uint32_t txn)
{
    const struct hist_txn *t = &c->from->txns.data[txn];
    uint32_t end = t->first_op + t->op_count, alive = t->first_op;
    for (uint32_t i = t->first_op; i < end && t->status != HIST_ABORTED; i++)
        if (c->from->ops.data[i].flags & HIST_OP_FAILED)
            alive = i + 1;
    if (alive > t->first_op) {
        copy_part(c, txn, t->first_op, alive, HIST_ABORTED);
        c->split++;
    }
    if (alive < end || alive == t->first_op)
        copy_part(c, txn, alive, end, (enum hist_status)t->status);
}

static void copy_versions(struct copy *c)
{
    const struct history *h = c->from;
    VEC(uint32_t) order = {0};
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *v = &h->version_orders.data[i];
        vec_clear(&order);
        for (uint32_t j = 0; j < v->len; j++) {
            uint32_t op = c->new_op[h->version_ops.data[v->start + j]];
            if (op != HIST_NONE)
                vec_push(&order, op);
        }
        hist_add_version_order(c->to, v->key, order.data, order.len);
    }
    c->to->version_orders_complete = h->version_orders_complete;
    vec_free(&order);
}

struct history *fmt_roll_back_failed(const struct history *h)
{
    struct copy c = {.from = h, .to = hist_new()};
    c.new_op = mem_alloc(mem_mul(h->ops.len + 1, sizeof *c.new_op));
    copy_names(&c);
    for (uint32_t i = 0; i < h->txns.len; i++)
        copy_txn(&c, i);
    copy_versions(&c);
    mem_free(c.new_op);
    const char *error = hist_finish(c.to);
    if (!error && c.split)
        return c.to;
    hist_free(c.to);
    return NULL;
}
