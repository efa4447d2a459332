/* The builder and the printer of histories; see history.h.
 *
 * Invariants: operations of a transaction are contiguous; the arrays beside txns and ops (times,
 * labels, write ids) exist only once somebody gave one, and then cover everything added so far. */
#include "history/history.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "history/hist_rows.h"
#include "history/predicate.h"

/* The longest list read from a key so far lies at lists[start … start + len), with room for cap. */
struct hist_open_list {
    uint32_t start, len, cap;
};

struct history *hist_new(void)
{
    struct history *h = mem_calloc(1, sizeof *h);
    h->current = HIST_NONE;
    h->initial_default = hist_null();
    h->source = "";
    vec_reserve(&h->ops, 1); /* so that an offset of 0 into them is an address */
    vec_reserve(&h->lists, 1);
    return h;
}

void hist_free(struct history *h)
{
    if (!h)
        return;
    vec_free(&h->txns);
    vec_free(&h->ops);
    vec_free(&h->lists);
    vec_free(&h->keys);
    vec_free(&h->session_names);
    mem_free(h->session_start);
    mem_free(h->session_txns);
    mem_free(h->begin_time);
    mem_free(h->commit_time);
    mem_free(h->labels);
    mem_free(h->names);
    mem_free(h->write_ids);
    vec_free(&h->initials);
    vec_free(&h->version_orders);
    vec_free(&h->version_ops);
    vec_free(&h->arbitration);
    vec_free(&h->visibility);
    vec_free(&h->open_lists);
    vec_free(&h->open_rows);
    vec_free(&h->predicates);
    vec_free(&h->conditions);
    vec_free(&h->set_ops);
    vec_free(&h->key_of_text);
    intern_free(&h->key_texts);
    intern_free(&h->texts);
    intern_free(&h->value_names);
    map_free(&h->key_numbers);
    arena_free(&h->arena);
    mem_free(h);
}

static void fail(struct history *h, const char *why)
{
    if (!h->error)
        h->error = why;
}

void hist_set_source(struct history *h, const char *name)
{
    h->source = arena_strdup(&h->arena, name);
}

int64_t hist_value_text(struct history *h, const char *s, size_t n)
{
    return intern_add(&h->value_names, s, n);
}

/* --- keys and the initial state --------------------------------------------------------------- */

static uint32_t new_key(struct history *h, int64_t number, uint32_t text)
{
    if (h->keys.len >= HIST_NONE - 1)
        fail(h, "more than 2^32 keys");
    else
        vec_push(&h->keys, ((struct hist_key_name){number, text}));
    return (uint32_t)h->keys.len - 1;
}

uint32_t hist_key_int(struct history *h, int64_t number)
{
    bool fresh;
    uint64_t *slot = map_put(&h->key_numbers, (uint64_t)number, h->keys.len, &fresh);
    return fresh ? new_key(h, number, HIST_NONE) : (uint32_t)*slot;
}

uint32_t hist_key_str(struct history *h, const char *s, size_t n)
{
    size_t before = h->key_texts.names.len;
    uint32_t text = intern_add(&h->key_texts, s, n);
    if (text < before)
        return h->key_of_text.data[text];
    uint32_t key = new_key(h, 0, text);
    vec_push(&h->key_of_text, key);
    return key;
}

void hist_set_initial_default(struct history *h, struct hist_value v)
{
    h->initial_default = v;
}

void hist_set_initial(struct history *h, uint32_t key, struct hist_value v)
{
    if (key >= h->keys.len)
        fail(h, "an initial value of a key that does not exist");
    vec_push(&h->initials, ((struct hist_initial){key, v}));
}

/* --- sessions and transactions ---------------------------------------------------------------- */

uint32_t hist_add_session(struct history *h, const char *name)
{
    vec_push(&h->session_names, name ? intern_add(&h->texts, name, strlen(name)) : HIST_NONE);
    return h->session_count++;
}

uint32_t hist_begin_txn(struct history *h, uint32_t session)
{
    if (h->current != HIST_NONE)
        fail(h, "a transaction begins inside another");
    if (session >= h->session_count)
        fail(h, "a transaction of a session that does not exist");
    if (h->txns.len >= (HIST_NONE - 16) / 2)
        fail(h, "more than 2^31 transactions");
    if (h->error)
        return HIST_NONE;
    h->current = (uint32_t)h->txns.len;
    struct hist_txn *t = vec_add(&h->txns);
    t->session = session;
    t->first_op = (uint32_t)h->ops.len;
    if (h->begin_time || h->labels || h->names) {
        size_t need = h->txns.len;
        if (need > h->side_txns_cap) {
            size_t cap = need * 2;
            if (h->begin_time) {
                h->begin_time = mem_realloc(h->begin_time, mem_mul(cap, sizeof *h->begin_time));
                h->commit_time = mem_realloc(h->commit_time, mem_mul(cap, sizeof *h->commit_time));
            }
            if (h->labels)
                h->labels = mem_realloc(h->labels, mem_mul(cap, sizeof *h->labels));
            if (h->names)
                h->names = mem_realloc(h->names, mem_mul(cap, sizeof *h->names));
            h->side_txns_cap = cap;
        }
        if (h->begin_time)
            h->begin_time[h->current] = h->commit_time[h->current] = HIST_NO_TIME;
        if (h->labels)
            h->labels[h->current] = HIST_NO_LABEL;
        if (h->names)
            h->names[h->current] = HIST_NONE;
    }
    return h->current;
}

void hist_end_txn(struct history *h, enum hist_status status)
{
    if (h->current == HIST_NONE) {
        fail(h, "a transaction ends that never began");
        return;
    }
    struct hist_txn *t = &h->txns.data[h->current];
    t->status = status;
    t->op_count = (uint32_t)h->ops.len - t->first_op;
    h->current = HIST_NONE;
}

/* Side arrays for transactions all have the capacity side_txns_cap. */
static void txn_side_capacity(struct history *h)
{
    if (!h->side_txns_cap)
        h->side_txns_cap = h->txns.len * 2 + 8;
}

void hist_txn_times(struct history *h, int64_t begin, int64_t commit)
{
    if (h->current == HIST_NONE) {
        fail(h, "times outside a transaction");
        return;
    }
    txn_side_capacity(h);
    if (!h->begin_time) {
        h->begin_time = mem_alloc(mem_mul(h->side_txns_cap, sizeof *h->begin_time));
        h->commit_time = mem_alloc(mem_mul(h->side_txns_cap, sizeof *h->commit_time));
        for (size_t i = 0; i < h->txns.len; i++)
            h->begin_time[i] = h->commit_time[i] = HIST_NO_TIME;
    }
    h->begin_time[h->current] = begin;
    h->commit_time[h->current] = commit;
}

void hist_txn_label(struct history *h, uint64_t label)
{
    if (h->current == HIST_NONE) {
        fail(h, "a label outside a transaction");
        return;
    }
    txn_side_capacity(h);
    if (!h->labels) {
        h->labels = mem_alloc(mem_mul(h->side_txns_cap, sizeof *h->labels));
        for (size_t i = 0; i < h->txns.len; i++)
            h->labels[i] = HIST_NO_LABEL;
    }
    h->labels[h->current] = label;
}

void hist_txn_name(struct history *h, const char *name)
{
    if (h->current == HIST_NONE) {
        fail(h, "a name outside a transaction");
        return;
    }
    txn_side_capacity(h);
    if (!h->names) {
        h->names = mem_alloc(mem_mul(h->side_txns_cap, sizeof *h->names));
        for (size_t i = 0; i < h->txns.len; i++)
            h->names[i] = HIST_NONE;
    }
    h->names[h->current] = intern_add(&h->texts, name, strlen(name));
}

/* --- operations ------------------------------------------------------------------------------- */

static uint32_t add_op(struct history *h, uint8_t kind, uint32_t key, struct hist_value v)
{
    if (h->current == HIST_NONE)
        fail(h, "an operation outside a transaction");
    if (key >= h->keys.len && kind != HIST_PREDICATE)
        fail(h, "an operation on a key that does not exist");
    if (h->ops.len >= HIST_NONE - 16)
        fail(h, "more than 2^32 operations");
    if (h->error)
        return HIST_NONE;
    struct hist_op op = {.key = key, .kind = kind, .flags = v.null ? HIST_OP_NULL : 0};
    op.value = v.null ? 0 : v.value;
    vec_push(&h->ops, op);
    if (h->write_ids) {
        if (h->ops.len > h->side_ops_cap) {
            h->side_ops_cap = h->ops.len * 2;
            h->write_ids = mem_realloc(h->write_ids, mem_mul(h->side_ops_cap, 8));
        }
        h->write_ids[h->ops.len - 1] = 0;
    }
    return (uint32_t)h->ops.len - 1;
}

uint32_t hist_predicate_read(struct history *h, enum hist_predicate_kind kind)
{
    uint32_t op = add_op(h, HIST_PREDICATE, (uint32_t)h->predicates.len, hist_int(0));
    struct hist_predicate *p = vec_add(&h->predicates);
    *p = (struct hist_predicate){.kind = kind, .first_op = op, .field = HIST_NONE};
    p->conditions = (uint32_t)h->conditions.len;
    p->rows = (uint32_t)h->open_rows.len; /* until hist_finish: where its rows start */
    return op;
}

uint32_t hist_read(struct history *h, uint32_t key, struct hist_value v)
{
    return add_op(h, HIST_READ, key, v);
}

uint32_t hist_read_initial(struct history *h, uint32_t key, struct hist_value v)
{
    uint32_t op = add_op(h, HIST_READ, key, v);
    hist_op_flag(h, HIST_OP_INITIAL);
    return op;
}

uint32_t hist_write(struct history *h, uint32_t key, struct hist_value v)
{
    return add_op(h, HIST_WRITE, key, v);
}

uint32_t hist_append(struct history *h, uint32_t key, int64_t value)
{
    return add_op(h, HIST_APPEND, key, hist_int(value));
}

/* Where the n values lie in lists: inside the longest list of the key if they are a prefix of it,
 * after it if they extend it and there is room, else in a new place with room to grow. */
static uint32_t place_list(struct history *h, uint32_t key, const int64_t *values, uint32_t n)
{
    if (key >= h->open_lists.len)
        vec_resize(&h->open_lists, h->keys.len);
    struct hist_open_list *l = &h->open_lists.data[key];
    uint32_t common = n < l->len ? n : l->len;
    bool agrees = !common || !memcmp(h->lists.data + l->start, values, common * sizeof *values);
    if (agrees && n <= l->len)
        return l->start;
    if (agrees && n <= l->cap) {
        memcpy(h->lists.data + l->start + l->len, values + l->len, (n - l->len) * sizeof *values);
        l->len = n;
        return l->start;
    }
    uint64_t room = n > l->len ? (uint64_t)n * 2 : n;
    if (h->lists.len + room >= HIST_NONE) {
        fail(h, "more than 2^32 list elements");
        return 0;
    }
    uint32_t start = (uint32_t)h->lists.len;
    vec_resize(&h->lists, h->lists.len + room);
    memcpy(h->lists.data + start, values, n * sizeof *values);
    if (n > l->len)
        *l = (struct hist_open_list){start, n, (uint32_t)room};
    return start;
}

uint32_t hist_list_read(struct history *h, uint32_t key, const int64_t *values, size_t n)
{
    if (n >= HIST_NONE / 2)
        fail(h, "a list of more than 2^31 elements");
    uint32_t op = add_op(h, HIST_LIST_READ, key, hist_int(0));
    if (op == HIST_NONE)
        return op;
    h->ops.data[op].list.len = (uint32_t)n;
    h->ops.data[op].list.start = n ? place_list(h, key, values, (uint32_t)n) : 0;
    return op;
}

void hist_write_id(struct history *h, uint64_t id)
{
    if (!h->ops.len || h->error) {
        fail(h, "a write id without an operation");
        return;
    }
    if (!h->write_ids) {
        h->side_ops_cap = h->ops.len * 2 + 8;
        h->write_ids = mem_calloc(h->side_ops_cap, sizeof *h->write_ids);
    }
    h->write_ids[h->ops.len - 1] = id;
}

void hist_op_flag(struct history *h, enum hist_op_flags flag)
{
    if (!h->ops.len || h->error)
        fail(h, "a flag without an operation");
    else
        vec_last(&h->ops).flags |= flag;
}

void hist_add_version_order(struct history *h, uint32_t key, const uint32_t *ops, size_t n)
{
    if (key >= h->keys.len)
        fail(h, "a version order of a key that does not exist");
    if (h->version_ops.len + n >= HIST_NONE)
        fail(h, "more than 2^32 versions");
    if (h->error)
        return;
    struct hist_version_order *o = vec_add(&h->version_orders);
    *o = (struct hist_version_order){key, (uint32_t)h->version_ops.len, (uint32_t)n};
    for (size_t i = 0; i < n; i++)
        vec_push(&h->version_ops, ops[i]);
}

/* --- finishing -------------------------------------------------------------------------------- */

static void index_sessions(struct history *h)
{
    size_t n = h->txns.len;
    uint32_t *start = mem_calloc(h->session_count + 2, sizeof *start);
    uint32_t *txns = mem_alloc(mem_mul(n + 1, sizeof *txns));
    for (size_t i = 0; i < n; i++)
        start[h->txns.data[i].session + 2]++;
    for (uint32_t s = 0; s < h->session_count; s++)
        start[s + 2] += start[s + 1];
    for (size_t i = 0; i < n; i++) {
        struct hist_txn *t = &h->txns.data[i];
        txns[start[t->session + 1]++] = (uint32_t)i;
    }
    for (uint32_t s = 0; s < h->session_count; s++)
        for (uint32_t i = start[s]; i < start[s + 1]; i++)
            h->txns.data[txns[i]].index = i - start[s];
    h->session_start = start;
    h->session_txns = txns;
}

static const char *text_of_key(struct history *h, const char *fmt, uint32_t key)
{
    struct strbuf b = {0};
    hist_key_text(h, key, &b);
    const char *text = arena_printf(&h->arena, "%s: key %s", fmt, sb_str(&b));
    sb_free(&b);
    return text;
}

/* A key is a register or a list, never both. */
static void check_key_kinds(struct history *h)
{
    enum { REGISTER = 1, LIST = 2 };
    uint8_t *kind = mem_calloc(h->keys.len + 1, 1);
    for (size_t i = 0; i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        kind[op->key] |= op->kind == HIST_READ || op->kind == HIST_WRITE ? REGISTER : LIST;
        if (kind[op->key] == (REGISTER | LIST)) {
            fail(h, text_of_key(h, "used both as a register and as a list", op->key));
            break;
        }
    }
    mem_free(kind);
}

static void check_version_orders(struct history *h)
{
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        for (uint32_t j = 0; j < o->len; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (op >= h->ops.len || h->ops.data[op].key != o->key ||
                (h->ops.data[op].kind != HIST_WRITE && h->ops.data[op].kind != HIST_APPEND))
                fail(h, text_of_key(h, "the version order names something that is not a write",
                                    o->key));
        }
    }
}

static void check_times(struct history *h)
{
    if (!h->begin_time)
        return;
    for (size_t i = 0; i < h->txns.len; i++) {
        int64_t b = h->begin_time[i], c = h->commit_time[i];
        if (b == HIST_NO_TIME || c == HIST_NO_TIME || b <= c)
            continue;
        struct strbuf t = {0};
        hist_txn_text(h, (uint32_t)i, &t);
        fail(h, arena_printf(&h->arena, "transaction %s ends before it begins", sb_str(&t)));
        sb_free(&t);
    }
}

const char *hist_finish(struct history *h)
{
    assert(!h->finished);
    if (h->current != HIST_NONE)
        fail(h, "the last transaction has no end");
    if (h->error)
        return h->error;
    if (h->predicates.len && (h->error = hist_expand_predicates(h)))
        return h->error;
    index_sessions(h);
    check_key_kinds(h);
    check_version_orders(h);
    check_times(h);
    vec_free(&h->open_lists);
    vec_free(&h->open_rows);
    h->finished = true;
    return h->error;
}

/* --- reading ---------------------------------------------------------------------------------- */

uint32_t hist_op_txn(const struct history *h, uint32_t op)
{
    size_t lo = 0, hi = h->txns.len;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (h->txns.data[mid].first_op <= op)
            lo = mid;
        else
            hi = mid;
    }
    return (uint32_t)lo;
}

struct hist_value *hist_initial_values(const struct history *h)
{
    struct hist_value *v = mem_alloc(mem_mul(h->keys.len + 1, sizeof *v));
    for (size_t i = 0; i < h->keys.len; i++)
        v[i] = h->initial_default;
    for (size_t i = 0; i < h->initials.len; i++)
        v[h->initials.data[i].key] = h->initials.data[i].value;
    return v;
}

void hist_key_text(const struct history *h, uint32_t key, struct strbuf *out)
{
    const struct hist_key_name *k = &h->keys.data[key];
    if (k->text == HIST_NONE)
        sb_printf(out, "%" PRId64, k->number);
    else
        sb_puts(out, intern_name(&h->key_texts, k->text));
}

void hist_value_to_text(const struct history *h, struct hist_value v, struct strbuf *out)
{
    if (v.null)
        sb_puts(out, "null");
    else if (h->value_names.names.len && v.value >= 0 &&
             (uint64_t)v.value < h->value_names.names.len)
        sb_puts(out, intern_name(&h->value_names, (uint32_t)v.value));
    else
        sb_printf(out, "%" PRId64, v.value);
}

static void list_text(const struct history *h, const struct hist_op *op, struct strbuf *out)
{
    sb_putc(out, '[');
    for (uint32_t i = 0; i < op->list.len; i++) {
        if (i)
            sb_putc(out, ' ');
        hist_value_to_text(h, hist_int(h->lists.data[op->list.start + i]), out);
    }
    sb_putc(out, ']');
}

void hist_op_text(const struct history *h, uint32_t index, struct strbuf *out)
{
    const struct hist_op *op = &h->ops.data[index];
    bool read = op->kind == HIST_READ || op->kind == HIST_LIST_READ;
    sb_puts(out, read ? "read(" : op->kind == HIST_WRITE ? "write(" : "append(");
    hist_key_text(h, op->key, out);
    sb_puts(out, read ? ") = " : ", ");
    if (op->kind == HIST_LIST_READ)
        list_text(h, op, out);
    else
        hist_value_to_text(h, hist_op_value(op), out);
    if (!read)
        sb_putc(out, ')');
}

void hist_txn_text(const struct history *h, uint32_t txn, struct strbuf *out)
{
    const struct hist_txn *t = &h->txns.data[txn];
    if (h->names && h->names[txn] != HIST_NONE)
        sb_puts(out, intern_name(&h->texts, h->names[txn]));
    else if (h->labels && h->labels[txn] != HIST_NO_LABEL)
        sb_printf(out, "T%" PRIu64, h->labels[txn]);
    else
        sb_printf(out, "T%" PRIu32 ".%" PRIu32, t->session, t->index);
}

static void dump_op(const struct history *h, uint32_t op, FILE *out)
{
    struct strbuf b = {0};
    hist_op_text(h, op, &b);
    uint8_t flags = h->ops.data[op].flags;
    fprintf(out, "    %s%s", flags & HIST_OP_SAME_STMT ? "+ " : "", sb_str(&b));
    if (h->write_ids && h->write_ids[op])
        fprintf(out, " #%" PRIu64, h->write_ids[op]);
    fprintf(out, "%s%s\n", flags & HIST_OP_INITIAL ? " initial" : "",
            flags & HIST_OP_FAILED ? " failed" : "");
    sb_free(&b);
}

/* The predicate reads that stand before an operation; gives the next one. */
static size_t dump_predicates(const struct history *h, size_t q, uint32_t txn, uint32_t op,
                              FILE *out)
{
    for (; q < h->predicates.len; q++) {
        const struct hist_predicate *p = &h->predicates.data[q];
        if (p->txn != txn || p->first_op != op)
            break;
        struct strbuf b = {0};
        pred_kind_text(h, p, &b);
        sb_puts(&b, " where ");
        pred_text(h, p, &b);
        if (p->kind >= HIST_COUNT && p->result.null)
            sb_puts(&b, " = null");
        else if (p->kind >= HIST_COUNT)
            sb_printf(&b, " = %" PRId64, p->result.value);
        else
            sb_printf(&b, ": %" PRIu32 " read%s", p->rows, p->rows == 1 ? "" : "s");
        fprintf(out, "    %s%s\n", sb_str(&b), p->failed ? " failed" : "");
        sb_free(&b);
    }
    return q;
}

static void dump_txn(const struct history *h, uint32_t txn, FILE *out)
{
    static const char *const status[] = {"committed", "aborted", "unknown"};
    const struct hist_txn *t = &h->txns.data[txn];
    struct strbuf b = {0};
    hist_txn_text(h, txn, &b);
    fprintf(out, "  %s %s", sb_str(&b), status[t->status]);
    if (h->begin_time && h->begin_time[txn] != HIST_NO_TIME)
        fprintf(out, " begin %" PRId64, h->begin_time[txn]);
    if (h->commit_time && h->commit_time[txn] != HIST_NO_TIME)
        fprintf(out, " commit %" PRId64, h->commit_time[txn]);
    fputc('\n', out);
    size_t q = 0;
    while (q < h->predicates.len && h->predicates.data[q].txn < txn)
        q++;
    for (uint32_t i = 0; i < t->op_count; i++) {
        q = dump_predicates(h, q, txn, t->first_op + i, out);
        dump_op(h, t->first_op + i, out);
    }
    dump_predicates(h, q, txn, t->first_op + t->op_count, out);
    sb_free(&b);
}

static void dump_initial(const struct history *h, FILE *out)
{
    struct strbuf b = {0};
    hist_value_to_text(h, h->initial_default, &b);
    fprintf(out, "initial %s\n", sb_str(&b));
    for (size_t i = 0; i < h->initials.len; i++) {
        sb_clear(&b);
        hist_key_text(h, h->initials.data[i].key, &b);
        sb_puts(&b, " = ");
        hist_value_to_text(h, h->initials.data[i].value, &b);
        fprintf(out, "initial %s\n", sb_str(&b));
    }
    sb_free(&b);
}

static void dump_version_orders(const struct history *h, FILE *out)
{
    struct strbuf b = {0};
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        sb_clear(&b);
        hist_key_text(h, o->key, &b);
        sb_putc(&b, ':');
        for (uint32_t j = 0; j < o->len; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            sb_putc(&b, ' ');
            hist_txn_text(h, hist_op_txn(h, op), &b);
            sb_putc(&b, '=');
            hist_value_to_text(h, hist_op_value(&h->ops.data[op]), &b);
        }
        fprintf(out, "versions %s\n", sb_str(&b));
    }
    sb_free(&b);
}

void hist_dump(const struct history *h, FILE *out)
{
    assert(h->finished);
    dump_initial(h, out);
    for (uint32_t s = 0; s < h->session_count; s++) {
        uint32_t name = h->session_names.data[s];
        fprintf(out, "session %" PRIu32 "%s%s\n", s, name == HIST_NONE ? "" : " ",
                name == HIST_NONE ? "" : intern_name(&h->texts, name));
        for (uint32_t i = h->session_start[s]; i < h->session_start[s + 1]; i++)
            dump_txn(h, h->session_txns[i], out);
    }
    dump_version_orders(h, out);
}
