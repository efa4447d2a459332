/* A history with more keys and more operations than another; see lower.h.  Keys, values and
 * transactions keep their numbers, operations move. */
#include "history/lower/lower_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static int by_predicate(const void *a, const void *b, void *plan)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct lower_op *ops = ((const struct lower_plan *)plan)->ops.data;
    if (ops[x].predicate != ops[y].predicate)
        return ops[x].predicate < ops[y].predicate ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Reads at one place, in the order of their predicate reads: those with version sets are planned at
 * the end of their transaction, the others at once. */
static void sort_reads(const struct lower_plan *p, uint32_t *sorted, uint32_t from, uint32_t to)
{
    for (uint32_t i = from + 1; i < to; i++)
        if (p->ops.data[sorted[i]].predicate < p->ops.data[sorted[i - 1]].predicate) {
            qsort_r(sorted + from, to - from, sizeof *sorted, by_predicate, (void *)p);
            return;
        }
}

/* Operations of the plan by their place.  Transaction t with operations [a, b) has the places
 * a + t … b + t; at each, writes that follow the operation before it come before reads. */
static uint32_t *sort_by_place(const struct history *h, const struct lower_plan *p,
                               uint32_t **start)
{
    size_t places = 2 * (h->ops.len + h->txns.len + 1);
    uint32_t *first = mem_calloc(places + 2, sizeof *first);
    uint32_t *sorted = mem_alloc(mem_mul(p->ops.len + 1, sizeof *sorted));
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < p->ops.len; i++) {
            const struct lower_op *o = &p->ops.data[i];
            size_t place = 2 * ((size_t)o->at + o->txn + o->write) + !o->write;
            if (pass)
                sorted[first[place + 1]++] = (uint32_t)i;
            else
                first[place + 2]++;
        }
        for (size_t i = 2; !pass && i < places + 2; i++)
            first[i] += first[i - 1];
    }
    for (size_t place = 1; place < places; place += 2)
        sort_reads(p, sorted, first[place], first[place + 1]);
    *start = first;
    return sorted;
}

static void copy_names(const struct history *h, struct history *to)
{
    hist_set_source(to, h->source);
    for (size_t i = 0; i < h->value_names.names.len; i++)
        hist_value_text(to, intern_name(&h->value_names, (uint32_t)i),
                        h->value_names.lengths.data[i]);
    for (size_t i = 0; i < h->keys.len; i++) {
        const struct hist_key_name *k = &h->keys.data[i];
        uint32_t key = k->text == HIST_NONE ? hist_key_int(to, k->number)
                                            : hist_key_str(to, intern_name(&h->key_texts, k->text),
                                                           h->key_texts.lengths.data[k->text]);
        assert(key == i);
        (void)key;
    }
    hist_set_initial_default(to, h->initial_default);
    for (size_t i = 0; i < h->initials.len; i++)
        hist_set_initial(to, h->initials.data[i].key, h->initials.data[i].value);
    for (uint32_t s = 0; s < h->session_count; s++) {
        uint32_t name = h->session_names.data[s];
        const char *text = name == HIST_NONE ? NULL : intern_name(&h->texts, name);
        const char *file = hist_session_file(h, s);
        if (file)
            hist_add_log(to, text, file);
        else
            hist_add_session(to, text);
    }
    to->bytes = h->bytes;
}

/* A new key must not be one that the history has already. */
static uint32_t *new_keys(const struct lower_plan *p, struct history *to)
{
    uint32_t *keys = mem_alloc(mem_mul(p->keys.len + 1, sizeof *keys));
    struct strbuf b = {0};
    for (size_t i = 0; i < p->keys.len; i++) {
        sb_clear(&b);
        sb_puts(&b, p->keys.data[i].name);
        uint32_t before = (uint32_t)to->keys.len;
        while ((keys[i] = hist_key_str(to, sb_str(&b), b.len)) < before)
            sb_putc(&b, '\'');
    }
    sb_free(&b);
    return keys;
}

struct copy {
    const struct history *h;
    const struct lower_plan *p;
    struct history *to;
    uint32_t *start, *sorted, *keys;
    uint32_t *moved;          /* per operation of h: where it is now */
    uint32_t *written;        /* per operation of the plan: where it is */
    struct lower_span *spans; /* per predicate read */
    uint32_t more;            /* operations that hist_finish will add for aggregates */
    uint32_t next;            /* the next predicate read */
    uint32_t aggregate;       /* the next aggregate of the plan */
    bool rows;         /* the next operation is a row of a read that stands before it in part */
    uint32_t rows_end; /* … if it comes before this one */
};

static void copy_op(struct copy *c, uint32_t i)
{
    const struct hist_op *op = &c->h->ops.data[i];
    struct hist_value v = hist_op_value(op);
    switch (op->kind) {
    case HIST_READ:
        c->moved[i] = hist_read(c->to, op->key, v);
        break;
    case HIST_WRITE:
        c->moved[i] = hist_write(c->to, op->key, v);
        break;
    case HIST_APPEND:
        c->moved[i] = hist_append(c->to, op->key, op->value);
        break;
    default:
        c->moved[i] =
            hist_list_read(c->to, op->key, c->h->lists.data + op->list.start, op->list.len);
    }
    hist_op_flag(c->to, op->flags & ~(HIST_OP_NULL | HIST_OP_SAME_STMT));
    if (c->h->write_ids && c->h->write_ids[i])
        hist_write_id(c->to, c->h->write_ids[i]);
}

/* Where values are numbers of texts, the new ones are texts too. */
static struct hist_value new_value(struct copy *c, int64_t value)
{
    char text[32];
    if (!c->h->value_names.names.len)
        return hist_int(value);
    int n = snprintf(text, sizeof text, "%s", value & 1 ? "yes" : "no");
    if (value > 1)
        n += snprintf(text + n, sizeof text - (size_t)n, " #%" PRId64, value / 2 - 1);
    return hist_int(hist_value_text(c->to, text, (size_t)n));
}

/* One planned operation; in the statement of the one before it if `linked`. */
static void copy_planned(struct copy *c, uint32_t i, bool linked)
{
    const struct lower_op *o = &c->p->ops.data[i];
    struct hist_value v = new_value(c, o->value);
    uint32_t key = c->keys[o->key];
    c->written[i] = o->write ? hist_write(c->to, key, v) : hist_read(c->to, key, v);
    if (linked)
        hist_op_flag(c->to, HIST_OP_SAME_STMT);
}

/* An aggregate without version set, its rows read in some version; in the statement of what stands
 * before it if `linked`. */
static void copy_aggregate(struct copy *c, const struct lower_aggregate_rows *j, bool linked)
{
    const struct history *h = c->h;
    const struct hist_predicate *q = &h->predicates.data[j->predicate];
    hist_predicate_read(c->to, (enum hist_predicate_kind)q->kind);
    if (linked)
        hist_op_flag(c->to, HIST_OP_SAME_STMT);
    if (c->rows)
        hist_op_flag(c->to, HIST_OP_SAME_READ);
    for (uint32_t i = q->conditions; i < q->conditions + q->condition_count; i++) {
        const struct hist_condition *x = &h->conditions.data[i];
        const char *field = intern_name(&h->texts, x->field);
        size_t n = h->texts.lengths.data[x->field];
        if (x->type == HIST_TEXT || x->type == HIST_DECIMAL)
            hist_condition_text(c->to, field, n, (enum hist_compare)x->compare,
                                (enum hist_type)x->type, intern_name(&h->texts, (uint32_t)x->value),
                                h->texts.lengths.data[x->value]);
        else
            hist_condition_number(c->to, field, n, (enum hist_compare)x->compare,
                                  (enum hist_type)x->type, x->value);
    }
    hist_aggregate(c->to, q->field == HIST_NONE ? "" : intern_name(&h->texts, q->field),
                   q->field == HIST_NONE ? 0 : h->texts.lengths.data[q->field], q->result);
    for (uint32_t i = j->start; i < j->start + j->rows; i++) {
        uint32_t key = c->p->aggregate_rows.data[i];
        hist_any_row(c->to, key & LOWER_NEW ? c->keys[key & ~LOWER_NEW] : key);
    }
    vec_last(&c->to->predicates).old = c->p->old;
}

/* What stands before operation i of the transaction: writes that follow the operation before it,
 * and the reads of the predicate reads that come next (c->next), each a statement with its rows.
 * *linked: is all since the last operation copied one statement?  Gives whether operation i goes on
 * with the statement of what stands before it. */
static bool copy_place(struct copy *c, uint32_t t, uint32_t i, bool *linked)
{
    const struct history *h = c->h;
    size_t place = (size_t)i + t;
    uint32_t at = c->start[2 * place + 1];
    bool goes_on = i < h->txns.data[t].first_op + h->txns.data[t].op_count &&
                   h->ops.data[i].flags & HIST_OP_SAME_STMT;
    for (uint32_t j = c->start[2 * place]; j < at; j++)
        copy_planned(c, c->sorted[j], true);
    for (; c->next < h->predicates.len && h->predicates.data[c->next].txn == t &&
           h->predicates.data[c->next].first_op == i;
         c->next++) {
        const struct hist_predicate *q = &h->predicates.data[c->next];
        *linked &= q->same_stmt;
        c->spans[c->next].first = (uint32_t)c->to->ops.len + c->more;
        c->rows = false;
        for (; at < c->start[2 * place + 2] && c->p->ops.data[c->sorted[at]].predicate == c->next;
             at++) {
            copy_planned(c, c->sorted[at], *linked);
            if (c->rows)
                hist_op_flag(c->to, HIST_OP_SAME_READ);
            *linked = c->rows = true;
        }
        if (c->aggregate < c->p->aggregates.len &&
            c->p->aggregates.data[c->aggregate].predicate == c->next) {
            const struct lower_aggregate_rows *j = &c->p->aggregates.data[c->aggregate++];
            if (j->rows) {
                copy_aggregate(c, j, *linked);
                c->more += j->rows - 1;
            }
            *linked |= j->rows > 0;
        }
        c->spans[c->next].end = (uint32_t)c->to->ops.len + c->more + q->rows;
        goes_on = q->rows || q->next_same;
        c->rows &= q->rows > 0;
        c->rows_end = i + q->rows;
    }
    assert(at == c->start[2 * place + 2]);
    return goes_on;
}

static void copy_txn(struct copy *c, uint32_t t)
{
    const struct history *h = c->h;
    const struct hist_txn *txn = &h->txns.data[t];
    bool linked = true;
    hist_begin_txn(c->to, txn->session);
    hist_txn_line(c->to, txn->line);
    if (h->times)
        hist_txn_intervals(c->to, h->times[t]);
    if (h->labels && h->labels[t] != HIST_NO_LABEL)
        hist_txn_label(c->to, h->labels[t]);
    if (h->names && h->names[t] != HIST_NONE)
        hist_txn_name(c->to, intern_name(&h->texts, h->names[t]));
    for (uint32_t i = txn->first_op; i <= txn->first_op + txn->op_count; i++) {
        bool goes_on = copy_place(c, t, i, &linked);
        linked &= goes_on;
        if (i == txn->first_op + txn->op_count || (c->p->drop && c->p->drop[i]))
            continue;
        copy_op(c, i);
        if (linked)
            hist_op_flag(c->to, HIST_OP_SAME_STMT);
        if (c->rows && i < c->rows_end) /* its rows may have been left out, all of them */
            hist_op_flag(c->to, HIST_OP_SAME_READ);
        c->rows = false;
        linked = true;
    }
    hist_end_txn(c->to, c->p->absent[t] ? HIST_ABORTED : (enum hist_status)txn->status);
}

static int by_version(const void *a, const void *b)
{
    const struct lower_version *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->pos < y->pos ? -1 : x->pos > y->pos;
}

static void copy_orders(struct copy *c)
{
    const struct history *h = c->h;
    VEC(uint32_t) order = {0};
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        vec_clear(&order);
        for (uint32_t j = 0; j < o->len; j++)
            vec_push(&order, c->moved[h->version_ops.data[o->start + j]]);
        hist_add_version_order(c->to, o->key, order.data, order.len);
    }
    size_t n = c->p->versions.len;
    struct lower_version *v = mem_alloc(mem_mul(n + 1, sizeof *v));
    if (n) {
        memcpy(v, c->p->versions.data, n * sizeof *v);
        qsort(v, n, sizeof *v, by_version);
    }
    for (size_t i = 0, j; i < n; i = j) {
        vec_clear(&order);
        for (j = i; j < n && v[j].key == v[i].key; j++)
            vec_push(&order, c->written[v[j].op]);
        hist_add_version_order(c->to, c->keys[v[i].key], order.data, order.len);
    }
    mem_free(v);
    vec_free(&order);
}

struct history *lower_copy(const struct history *h, const struct lower_plan *p,
                           struct lower_span **spans)
{
    struct copy c = {.h = h, .p = p, .to = hist_new()};
    copy_names(h, c.to);
    c.keys = new_keys(p, c.to);
    c.to->lowered.keys = (uint32_t)p->keys.len;
    c.to->lowered.view = p->levels;
    c.sorted = sort_by_place(h, p, &c.start);
    for (size_t i = 0; i < p->keys.len; i++) {
        struct hist_value v = p->keys.data[i].initial;
        const char *text = p->keys.data[i].text;
        vec_push(&c.to->lowered.rows, p->keys.data[i].row);
        vec_push(&c.to->lowered.texts,
                 text ? intern_add(&c.to->texts, text, strlen(text)) : HIST_NONE);
        hist_set_initial(c.to, c.keys[i], v.null ? v : new_value(&c, v.value));
    }
    c.moved = mem_calloc(h->ops.len + 1, sizeof *c.moved);
    c.written = mem_calloc(p->ops.len + 1, sizeof *c.written);
    c.spans = *spans = mem_calloc(h->predicates.len + 1, sizeof *c.spans);
    for (uint32_t t = 0; t < h->txns.len; t++)
        copy_txn(&c, t);
    copy_orders(&c);
    c.to->version_orders_complete = h->version_orders_complete;
    mem_free(c.start);
    mem_free(c.sorted);
    mem_free(c.keys);
    mem_free(c.moved);
    mem_free(c.written);
    return c.to;
}
