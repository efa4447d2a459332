/* Reads of several rows, in the builder and when it finishes.
 *
 * While a history is built, a predicate read is one operation of kind HIST_PREDICATE whose `key` is
 * its number; so operations are counted as the format counts them.  When everything is known,
 * notably all keys, each is replaced by ordinary reads of the rows that it returned.  A range of
 * keys reads every key of the history that lies in it, absent ones as null: so a black-box history
 * says all that the client saw, and a phantom is an ordinary write of a row that was read as
 * absent. */
#include "history/hist_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "base/decimal.h"

static struct hist_predicate *last_predicate(struct history *h)
{
    return h->error || !h->predicates.len ? NULL : &vec_last(&h->predicates);
}

static void add_condition(struct history *h, const char *field, size_t n, struct hist_condition c)
{
    struct hist_predicate *p = last_predicate(h);
    if (!p)
        return;
    c.field = intern_add(&h->texts, field, n);
    vec_push(&h->conditions, c);
    p->condition_count++;
}

void hist_condition_int(struct history *h, const char *field, size_t n, enum hist_compare c,
                        int64_t value)
{
    hist_condition_number(h, field, n, c, HIST_INT, value);
}

void hist_condition_number(struct history *h, const char *field, size_t n, enum hist_compare c,
                           enum hist_type type, int64_t value)
{
    add_condition(h, field, n, (struct hist_condition){.compare = c, .type = type, .value = value});
}

void hist_condition_text(struct history *h, const char *field, size_t n, enum hist_compare c,
                         enum hist_type type, const char *text, size_t len)
{
    int64_t id = intern_add(&h->texts, text, len);
    add_condition(h, field, n, (struct hist_condition){.compare = c, .type = type, .value = id});
}

void hist_returned_row(struct history *h, uint32_t key, struct hist_value v, uint64_t id)
{
    if (last_predicate(h))
        vec_push(&h->open_rows, ((struct hist_row){key, v, id}));
}

void hist_aggregate(struct history *h, const char *field, size_t n, struct hist_value result)
{
    struct hist_predicate *p = last_predicate(h);
    if (!p)
        return;
    p->field = n ? intern_add(&h->texts, field, n) : HIST_NONE;
    p->result = result;
}

void hist_any_row(struct history *h, uint32_t key)
{
    struct hist_predicate *p = last_predicate(h);
    if (!p)
        return;
    p->any = true;
    vec_push(&h->open_rows, ((struct hist_row){key, hist_int(0), 0}));
}

void hist_version_set(struct history *h, uint32_t op, const uint32_t *ops, size_t n)
{
    if (h->error)
        return;
    if (op >= h->ops.len || h->ops.data[op].kind != HIST_PREDICATE) {
        h->error = "a version set of something that is not a predicate read";
        return;
    }
    struct hist_predicate *p = &h->predicates.data[h->ops.data[op].key];
    if (p->has_set || p->kind == HIST_RANGE) {
        h->error = p->has_set ? "a predicate read with two version sets"
                              : "a version set of a range: its rows may carry write ids instead";
        return;
    }
    p->has_set = true;
    p->set = (uint32_t)h->set_ops.len;
    p->set_count = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        vec_push(&h->set_ops, ops[i]);
}

/* --- ranges -------------------------------------------------------------------------------- */

/* Keys in order: numbers by value, then texts by their bytes, then all others. */
struct sorted_key {
    const struct history *h;
    uint32_t key;
};
enum key_class { KEY_NUMBER, KEY_TEXT, KEY_OTHER };

static int text_order(const char *a, size_t n, const char *b, size_t m)
{
    int c = memcmp(a, b, n < m ? n : m);
    return c ? c : n < m ? -1 : n > m;
}

static const char *key_name(const struct history *h, uint32_t key, size_t *n)
{
    uint32_t text = h->keys.data[key].text;
    *n = h->key_texts.lengths.data[text];
    return intern_name(&h->key_texts, text);
}

static enum key_class key_class(const struct history *h, uint32_t key)
{
    size_t n;
    if (h->keys.data[key].text == HIST_NONE)
        return KEY_NUMBER;
    if (!hist_key_is_literal(h, key))
        return KEY_TEXT;
    const char *name = key_name(h, key, &n);
    return decimal_length(name, n - 1) == n - 1 ? KEY_NUMBER : KEY_OTHER;
}

/* A number that may have a fraction, as text: its own or that of `integer`. */
static const char *number_text(const char *text, int64_t integer, char buffer[24], size_t *n)
{
    if (text)
        return text;
    *n = (size_t)snprintf(buffer, 24, "%" PRId64, integer);
    return buffer;
}

static int number_order(const char *a, size_t n, int64_t x, const char *b, size_t m, int64_t y)
{
    char left[24], right[24];
    if (!a && !b)
        return x < y ? -1 : x > y;
    a = number_text(a, x, left, &n);
    b = number_text(b, y, right, &m);
    return decimal_compare(a, n, b, m);
}

static int key_order(const struct history *h, uint32_t a, uint32_t b)
{
    const struct hist_key_name *x = &h->keys.data[a], *y = &h->keys.data[b];
    enum key_class c = key_class(h, a), d = key_class(h, b);
    if (c != d)
        return c < d ? -1 : 1;
    size_t n = 0, m = 0;
    const char *s = x->text == HIST_NONE ? NULL : key_name(h, a, &n);
    const char *t = y->text == HIST_NONE ? NULL : key_name(h, b, &m);
    return c == KEY_NUMBER
               ? number_order(s, n - (s != NULL), x->number, t, m - (t != NULL), y->number)
               : text_order(s, n, t, m);
}

static int by_key(const void *a, const void *b)
{
    const struct sorted_key *x = a, *y = b;
    return key_order(x->h, x->key, y->key);
}

/* Is a key below the end of a range (below 0), equal to it, or above? */
static int compare_bound(const struct history *h, uint32_t key, const struct hist_condition *c)
{
    enum key_class class = key_class(h, key), bound = c->type == HIST_TEXT ? KEY_TEXT : KEY_NUMBER;
    if (class != bound)
        return class < bound ? -1 : 1;
    size_t n = 0, m = 0;
    const char *s = h->keys.data[key].text == HIST_NONE ? NULL : key_name(h, key, &n), *t = NULL;
    if (c->type != HIST_INT) {
        t = intern_name(&h->texts, (uint32_t)c->value);
        m = h->texts.lengths.data[c->value];
    }
    return class == KEY_TEXT
               ? text_order(s, n, t, m)
               : number_order(s, n - (s != NULL), h->keys.data[key].number, t, m, c->value);
}

struct expansion {
    struct history *h;
    struct sorted_key *sorted;
    uint32_t *row_of; /* per key: row + 1 of the predicate at hand, or 0 */
    VEC(struct hist_op) ops;
    VEC(uint64_t) ids;
    bool any_ids;
};

/* The first key that is not below the bound, or (after) the first one above it. */
static size_t lower_bound(const struct expansion *e, const struct hist_condition *c, bool after)
{
    size_t lo = 0, hi = e->h->keys.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int d = compare_bound(e->h, e->sorted[mid].key, c);
        if (d < 0 || (after && d == 0))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The first key of a class, or of a later one. */
static size_t class_start(const struct expansion *e, enum key_class class)
{
    size_t lo = 0, hi = e->h->keys.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (key_class(e->h, e->sorted[mid].key) < class)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The keys of a range.  One open end means all keys of the other end's kind on that side, and two
 * open ends all keys of the history. */
static void range_bounds(const struct expansion *e, const struct hist_condition *c, size_t *lo,
                         size_t *hi)
{
    bool open_low = c[0].type == HIST_OPEN, open_high = c[1].type == HIST_OPEN;
    enum key_class class = c[open_low].type == HIST_TEXT ? KEY_TEXT : KEY_NUMBER;
    *lo = !open_low ? lower_bound(e, &c[0], false) : open_high ? 0 : class_start(e, class);
    *hi = !open_high ? lower_bound(e, &c[1], true)
          : open_low ? e->h->keys.len
                     : class_start(e, class + 1);
}

static void emit(struct expansion *e, uint32_t key, struct hist_value v, uint64_t id, uint8_t flags)
{
    struct hist_op op = {.key = key, .kind = HIST_READ, .flags = flags};
    op.flags |= v.null ? HIST_OP_NULL : 0;
    op.value = v.null ? 0 : v.value;
    vec_push(&e->ops, op);
    vec_push(&e->ids, id);
    e->any_ids |= id != 0;
}

static const char *bad_row(struct history *h, const char *what, uint32_t key)
{
    struct strbuf b = {0};
    hist_key_text(h, key, &b);
    const char *text = arena_printf(&h->arena, "%s: key %s", what, sb_str(&b));
    sb_free(&b);
    return text;
}

static const char *expand_range(struct expansion *e, struct hist_predicate *p, uint32_t first_row,
                                uint32_t rows, uint8_t flags)
{
    struct history *h = e->h;
    const struct hist_condition *c = h->conditions.data + p->conditions;
    size_t lo, hi;
    range_bounds(e, c, &lo, &hi);
    const char *error = NULL;
    uint32_t found = 0;
    for (uint32_t i = 0; i < rows; i++)
        e->row_of[h->open_rows.data[first_row + i].key] = i + 1;
    if (e->ops.len + (hi > lo ? hi - lo : 0) >= HIST_NONE / 2)
        error = "the ranges of the history have more than 2^31 keys in all";
    for (size_t i = lo; i < hi && !error; i++) {
        uint32_t key = e->sorted[i].key, row = e->row_of[key];
        const struct hist_row *r = row ? &h->open_rows.data[first_row + row - 1] : NULL;
        uint8_t more = i > lo ? HIST_OP_SAME_STMT | HIST_OP_SAME_READ : 0;
        emit(e, key, r ? r->value : hist_null(), r ? r->id : 0,
             (uint8_t)(flags | more | (r ? 0 : HIST_OP_NOT_FOUND)));
        found += row != 0;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t key = h->open_rows.data[first_row + i].key;
        if (!error && e->row_of[key] != i + 1)
            error = bad_row(h, "a range returned a row twice", key);
    }
    for (uint32_t i = 0; i < rows; i++)
        e->row_of[h->open_rows.data[first_row + i].key] = 0;
    if (!error && found != rows)
        error = "a range returned a row that is not in it";
    return error;
}

static const char *expand_rows(struct expansion *e, uint32_t first_row, uint32_t rows,
                               uint8_t flags)
{
    const struct hist_row *r = e->h->open_rows.data + first_row;
    const char *error = NULL;
    for (uint32_t i = 0; i < rows; i++) {
        if (r[i].value.null)
            error = bad_row(e->h, "a predicate read returned an absent row", r[i].key);
        else if (e->row_of[r[i].key])
            error = bad_row(e->h, "a predicate read returned a row twice", r[i].key);
        e->row_of[r[i].key] = 1;
        emit(e, r[i].key, r[i].value, r[i].id,
             i ? (flags | HIST_OP_SAME_STMT | HIST_OP_SAME_READ) : flags);
    }
    for (uint32_t i = 0; i < rows; i++)
        e->row_of[r[i].key] = 0;
    return error;
}

static const char *expand_one(struct expansion *e, uint32_t txn, const struct hist_op *op,
                              uint8_t flags)
{
    struct history *h = e->h;
    uint32_t index = op->key;
    struct hist_predicate *p = &h->predicates.data[index];
    uint32_t first = p->rows;
    uint32_t end = index + 1 < h->predicates.len ? h->predicates.data[index + 1].rows
                                                 : (uint32_t)h->open_rows.len;
    p->txn = h->error_txn = txn;
    p->first_op = (uint32_t)e->ops.len;
    p->failed = op->flags & HIST_OP_FAILED;
    p->same_stmt = op->flags & HIST_OP_SAME_STMT;
    if (p->kind >= HIST_COUNT && end > first && !p->any)
        return "an aggregate with rows";
    if (p->any)
        flags |= HIST_OP_ANY;
    const char *error = p->kind == HIST_RANGE ? expand_range(e, p, first, end - first, flags)
                                              : expand_rows(e, first, end - first, flags);
    p->rows = (uint32_t)e->ops.len - p->first_op;
    return error;
}

/* Operation i.  A read of several rows may leave no operation at all: then what follows is in one
 * statement with what came before only if the read was in between (*linked). */
static const char *expand_op(struct expansion *e, uint32_t txn, uint32_t i, bool *linked)
{
    struct history *h = e->h;
    struct hist_op op = h->ops.data[i];
    size_t before = e->ops.len;
    const char *error = NULL;
    *linked &= (op.flags & HIST_OP_SAME_STMT) != 0;
    uint8_t flags = (op.flags & ~HIST_OP_SAME_STMT) | (*linked ? HIST_OP_SAME_STMT : 0);
    if (op.kind == HIST_PREDICATE) {
        error = expand_one(e, txn, &op, flags & ~HIST_OP_NULL);
        const struct hist_txn *t = &h->txns.data[txn];
        h->predicates.data[op.key].next_same =
            i + 1 < t->first_op + t->op_count && h->ops.data[i + 1].flags & HIST_OP_SAME_STMT;
    } else {
        op.flags = flags;
        vec_push(&e->ops, op);
        vec_push(&e->ids, h->write_ids ? h->write_ids[i] : 0);
    }
    *linked |= e->ops.len > before;
    return error;
}

static const char *expand_all(struct expansion *e, uint32_t *place)
{
    struct history *h = e->h;
    const char *error = NULL;
    for (uint32_t t = 0; t < h->txns.len && !error; t++) {
        struct hist_txn *txn = &h->txns.data[t];
        uint32_t first = (uint32_t)e->ops.len;
        bool linked = true;
        for (uint32_t i = txn->first_op; i < txn->first_op + txn->op_count && !error; i++) {
            place[i] = (uint32_t)e->ops.len;
            error = expand_op(e, t, i, &linked);
        }
        txn->first_op = first;
        txn->op_count = (uint32_t)e->ops.len - first;
    }
    return error;
}

/* Version orders and version sets name operations: as they are numbered now. */
static const char *renumber(struct history *h, const uint32_t *place, size_t ops)
{
    for (size_t i = 0; i < h->version_ops.len; i++)
        if (h->version_ops.data[i] >= ops ||
            h->ops.data[h->version_ops.data[i]].kind == HIST_PREDICATE)
            return "a version order names something that is not a write";
    for (size_t i = 0; i < h->set_ops.len; i++) {
        uint32_t op = h->set_ops.data[i];
        if (op >= ops || h->ops.data[op].kind != HIST_WRITE)
            return "a version set names something that is not a write";
    }
    for (size_t i = 0; i < h->version_ops.len; i++)
        h->version_ops.data[i] = place[h->version_ops.data[i]];
    for (size_t i = 0; i < h->set_ops.len; i++)
        h->set_ops.data[i] = place[h->set_ops.data[i]];
    return NULL;
}

const char *hist_expand_predicates(struct history *h)
{
    struct expansion e = {.h = h};
    size_t keys = h->keys.len, ops = h->ops.len;
    e.sorted = mem_alloc(mem_mul(keys + 1, sizeof *e.sorted));
    e.row_of = mem_calloc(keys + 1, sizeof *e.row_of);
    for (size_t i = 0; i < keys; i++)
        e.sorted[i] = (struct sorted_key){h, (uint32_t)i};
    qsort(e.sorted, keys, sizeof *e.sorted, by_key);
    uint32_t *place = mem_alloc(mem_mul(ops + 1, sizeof *place));
    vec_reserve(&e.ops, ops + 1);
    const char *error = expand_all(&e, place);
    if (!error) {
        h->error_txn = HIST_NONE;
        error = renumber(h, place, ops);
    }
    if (!error) {
        mem_free(h->ops.data);
        memcpy(&h->ops, &e.ops, sizeof h->ops);
        e.ops.data = NULL;
        bool ids = h->write_ids || e.any_ids;
        mem_free(h->write_ids);
        h->write_ids = ids ? e.ids.data : NULL;
        h->side_ops_cap = e.ids.cap;
        if (ids)
            e.ids.data = NULL;
    }
    mem_free(e.ops.data);
    mem_free(e.ids.data);
    mem_free(e.sorted);
    mem_free(e.row_of);
    mem_free(place);
    return error;
}

uint32_t hist_first_predicate(const struct history *h, uint32_t txn)
{
    uint32_t lo = 0, hi = (uint32_t)h->predicates.len;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (h->predicates.data[mid].txn < txn)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
