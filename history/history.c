/* The builder of histories; see history.h.
 *
 * Invariants: operations of a transaction are contiguous; the arrays beside txns and ops (times,
 * labels, write ids) exist only once somebody gave one, and then cover everything added so far. */
#include "history/history.h"

#include "history/hist_rows.h"

struct history *hist_new(void)
{
    struct history *h = mem_calloc(1, sizeof *h);
    h->current = h->error_txn = HIST_NONE;
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
    vec_free(&h->session_files);
    mem_free(h->index.session_start);
    mem_free(h->index.session_txns);
    mem_free(h->session_numbers);
    map_free(&h->index.sessions_by_number);
    mem_free(h->times);
    mem_free(h->labels);
    mem_free(h->names);
    mem_free(h->write_ids);
    vec_free(&h->initials);
    vec_free(&h->version_orders);
    vec_free(&h->version_ops);
    vec_free(&h->arbitration);
    vec_free(&h->visibility);
    vec_free(&h->key_lists);
    vec_free(&h->open_rows);
    vec_free(&h->lowered.missing_rows);
    vec_free(&h->predicates);
    vec_free(&h->lowered.rows);
    vec_free(&h->lowered.texts);
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

uint32_t hist_key_literal(struct history *h, const char *s, size_t n)
{
    char *text = mem_strndup(s, n);
    uint32_t key = hist_key_str(h, text, n + 1);
    mem_free(text);
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

uint32_t hist_add_log(struct history *h, const char *name, const char *path)
{
    vec_push(&h->session_files, intern_add(&h->texts, path, strlen(path)));
    return hist_add_session(h, name);
}

const char *hist_session_file(const struct history *h, uint32_t session)
{
    return h->session_files.len ? intern_name(&h->texts, h->session_files.data[session]) : NULL;
}

static const struct hist_times no_times = {HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME, HIST_NO_TIME};

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
    if (h->times || h->labels || h->names) {
        size_t need = h->txns.len;
        if (need > h->side_txns_cap) {
            size_t cap = need * 2;
            if (h->times)
                h->times = mem_realloc(h->times, mem_mul(cap, sizeof *h->times));
            if (h->labels)
                h->labels = mem_realloc(h->labels, mem_mul(cap, sizeof *h->labels));
            if (h->names)
                h->names = mem_realloc(h->names, mem_mul(cap, sizeof *h->names));
            h->side_txns_cap = cap;
        }
        if (h->times)
            h->times[h->current] = no_times;
        if (h->labels)
            h->labels[h->current] = HIST_NO_LABEL;
        if (h->names)
            h->names[h->current] = HIST_NONE;
    }
    return h->current;
}

void hist_txn_line(struct history *h, uint64_t line)
{
    if (h->current != HIST_NONE)
        h->txns.data[h->current].line = line <= UINT32_MAX ? (uint32_t)line : 0;
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
    hist_txn_intervals(h, (struct hist_times){begin, HIST_NO_TIME, HIST_NO_TIME, commit});
}

void hist_txn_intervals(struct history *h, struct hist_times times)
{
    if (h->current == HIST_NONE) {
        fail(h, "times outside a transaction");
        return;
    }
    txn_side_capacity(h);
    if (!h->times) {
        h->times = mem_alloc(mem_mul(h->side_txns_cap, sizeof *h->times));
        for (size_t i = 0; i < h->txns.len; i++)
            h->times[i] = no_times;
    }
    h->times[h->current] = times;
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

/* A list that neither is a prefix of the longest one nor extends it. */
static uint32_t place_apart(struct history *h, struct hist_list *l, const int64_t *values,
                            uint32_t n)
{
    l->forked = true;
    uint32_t start = (uint32_t)h->lists.len;
    vec_resize(&h->lists, h->lists.len + n);
    memcpy(h->lists.data + start, values, n * sizeof *values);
    return start;
}

/* A list that outgrows its place moves; hist_finish tells the reads. */
static void make_room(struct history *h, struct hist_list *l, uint32_t n)
{
    enum { ROOM = 8 };
    if (n <= l->cap)
        return;
    uint32_t start = (uint32_t)h->lists.len;
    l->cap = n < ROOM / 2 ? ROOM : 2 * n;
    vec_resize(&h->lists, h->lists.len + l->cap);
    memcpy(h->lists.data + start, h->lists.data + l->start, l->len * sizeof *h->lists.data);
    l->start = start;
}

/* Where the n values lie in lists: inside the longest list of the key if they are a prefix of it,
 * after it if they extend it. */
static uint32_t place_list(struct history *h, uint32_t key, const int64_t *values, uint32_t n)
{
    struct hist_list *l = &h->key_lists.data[key];
    uint32_t common = n < l->len ? n : l->len;
    if (h->lists.len + 2 * (uint64_t)n + 8 >= HIST_NONE) {
        fail(h, "more than 2^32 list elements");
        return 0;
    }
    if (common && memcmp(h->lists.data + l->start, values, common * sizeof *values))
        return place_apart(h, l, values, n);
    if (n > l->len) {
        make_room(h, l, n);
        memcpy(h->lists.data + l->start + l->len, values + l->len, (n - l->len) * sizeof *values);
        l->len = n;
    }
    return l->start;
}

uint32_t hist_list_read(struct history *h, uint32_t key, const int64_t *values, size_t n)
{
    if (n >= HIST_NONE / 2)
        fail(h, "a list of more than 2^31 elements");
    uint32_t op = add_op(h, HIST_LIST_READ, key, hist_int(0));
    if (op == HIST_NONE)
        return op;
    if (key >= h->key_lists.len)
        vec_resize(&h->key_lists, h->keys.len);
    h->ops.data[op].list.start = n ? place_list(h, key, values, (uint32_t)n) : 0;
    h->ops.data[op].list.len = (uint32_t)n;
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
    *o = (struct hist_version_order){
        .key = key, .start = (uint32_t)h->version_ops.len, .len = (uint32_t)n};
    for (size_t i = 0; i < n; i++)
        vec_push(&h->version_ops, ops[i]);
}

void hist_version_order_place(struct history *h, struct hist_place place)
{
    if (!h->error)
        vec_last(&h->version_orders).place = place;
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

uint32_t *hist_op_txns(const struct history *h)
{
    uint32_t *txns = mem_alloc(mem_mul(h->ops.len + 1, sizeof *txns));
    for (uint32_t t = 0; t < h->txns.len; t++)
        for (uint32_t i = 0; i < h->txns.data[t].op_count; i++)
            txns[h->txns.data[t].first_op + i] = t;
    return txns;
}

uint8_t *hist_list_keys(const struct history *h)
{
    uint8_t *list = mem_calloc(h->keys.len + 1, 1);
    for (size_t i = 0; i < h->ops.len; i++)
        if (h->ops.data[i].kind >= HIST_APPEND)
            list[h->ops.data[i].key] = 1;
    return list;
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
