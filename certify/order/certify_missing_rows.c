/* Rows that were not returned; see certify_missing_rows.h.  Serial orders and orders of events are
 * replayed here; for arbitration orders see certify_snapshot.c and certify_causal.c. */
#include "certify/order/certify_missing_rows.h"

#include <string.h>

#include "certify/order/certify_orders.h"
#include "history/rereads.h"

#define MATCH_BYTES ((size_t)1 << 28)
#define MANY 100000

/* --- the table of all versions --------------------------------------------------------------- */

static void number_entries(struct missing_rows *a)
{
    const struct history *h = a->h;
    size_t keys = h->keys.len;
    uint32_t *next = mem_calloc(keys + 1, sizeof *next);
    for (size_t i = 0; i < h->ops.len; i++)
        next[h->ops.data[i].key] += hist_is_row_write(&h->ops.data[i]);
    uint32_t total = 0;
    for (size_t k = 0; k < keys; k++) {
        uint32_t count = next[k] + 1;
        a->first[k] = total;
        next[k] = total + 1;
        total += count;
    }
    a->first[keys] = total;
    for (size_t i = 0; i < h->ops.len; i++)
        if (hist_is_row_write(&h->ops.data[i]))
            a->entry[i] = next[h->ops.data[i].key]++;
    mem_free(next);
}

static void name_predicates(struct missing_rows *a)
{
    struct strbuf b = {0};
    a->text = mem_calloc(a->h->predicates.len + 1, sizeof *a->text);
    for (size_t i = 0; i < a->h->predicates.len; i++) {
        sb_clear(&b);
        pred_identity(a->h, &a->h->predicates.data[i], &b);
        a->text[i] = intern_add(&a->texts, sb_str(&b), b.len);
    }
    while (a->kept.len < a->texts.names.len)
        vec_push(&a->kept, NULL);
    sb_free(&b);
}

void missing_rows_init(struct missing_rows *a, const struct history *h)
{
    size_t keys = h->keys.len + 1;
    *a = (struct missing_rows){.h = h};
    a->first = mem_calloc(keys, sizeof *a->first);
    a->seen = mem_calloc(keys, sizeof *a->seen);
    a->settled = mem_calloc(keys, sizeof *a->settled);
    a->list_key = hist_list_keys(h);
    a->entry = mem_calloc(h->ops.len + 1, sizeof *a->entry);
    number_entries(a);
    size_t n = a->first[h->keys.len];
    a->key = mem_alloc(mem_mul(n + 1, sizeof *a->key));
    a->value = mem_alloc(mem_mul(n + 1, sizeof *a->value));
    a->space = mem_calloc(n + 1, 1);
    struct hist_value *initial = hist_initial_values(h);
    for (uint32_t k = 0; k < h->keys.len; k++) {
        a->value[a->first[k]] = initial[k];
        for (uint32_t i = a->first[k]; i < a->first[k + 1]; i++)
            a->key[i] = k;
    }
    for (size_t i = 0; i < h->ops.len; i++)
        if (hist_is_row_write(&h->ops.data[i]))
            a->value[a->entry[i]] = hist_op_value(&h->ops.data[i]);
    mem_free(initial);
    pred_init(&a->pred, h);
    a->table = (struct pred_table){.p = &a->pred, .len = n, .key = a->key, .value = a->value};
    name_predicates(a);
}

void missing_rows_free(struct missing_rows *a)
{
    for (size_t i = 0; i < a->kept.len; i++)
        mem_free(a->kept.data[i]);
    vec_free(&a->kept);
    intern_free(&a->texts);
    pred_free(&a->pred);
    pred_table_free(&a->table);
    vec_free(&a->wrong);
    void *all[] = {a->first, a->seen,  a->settled, a->list_key, a->entry,
                   a->key,   a->value, a->space,   a->text};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
}

uint32_t missing_rows_entry(const struct missing_rows *a, uint32_t txn, uint32_t key)
{
    const struct hist_txn *t = &a->h->txns.data[txn];
    for (uint32_t i = t->first_op + t->op_count; i-- > t->first_op;)
        if (hist_is_row_write(&a->h->ops.data[i]) && a->h->ops.data[i].key == key)
            return a->entry[i];
    return a->first[key];
}

/* --- one predicate read ---------------------------------------------------------------------- */

bool missing_rows_matters(const struct hist_predicate *q)
{
    return q->kind == HIST_ROWS && !q->has_set && !q->failed;
}

bool missing_rows_many(const struct history *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->predicates.len; i++)
        n += h->keys.len - h->predicates.data[i].rows;
    return n > MANY;
}

static const struct hist_predicate *from(const struct missing_rows *a, uint32_t txn, size_t index)
{
    const struct history *h = a->h;
    for (; index < h->predicates.len && h->predicates.data[index].txn == txn; index++)
        if (missing_rows_matters(&h->predicates.data[index]))
            return &h->predicates.data[index];
    return NULL;
}

const struct hist_predicate *missing_rows_first(const struct missing_rows *a, uint32_t txn)
{
    return a ? from(a, txn, hist_first_predicate(a->h, txn)) : NULL;
}

const struct hist_predicate *missing_rows_after(const struct missing_rows *a,
                                                const struct hist_predicate *q)
{
    return from(a, q->txn, missing_rows_index(a, q) + 1);
}

/* Make a->match that of the predicate. */
static void match(struct missing_rows *a, const struct hist_predicate *q)
{
    uint32_t text = a->text[missing_rows_index(a, q)];
    uint8_t **kept = &a->kept.data[text];
    bool fresh = !*kept;
    if (fresh && (text + 1) * a->table.len <= MATCH_BYTES)
        *kept = mem_alloc(a->table.len + 1);
    a->match = *kept ? *kept : a->space;
    if (fresh)
        pred_table_match(&a->table, q, a->match);
}

static bool is_open(const struct missing_rows *a, uint32_t key)
{
    return a->settled[key] != a->stamp && !a->list_key[key];
}

static void judge(struct missing_rows *a, const struct hist_predicate *q, uint32_t key,
                  uint32_t entry)
{
    if (a->match[entry] && is_open(a, key))
        vec_push(&a->wrong, ((struct hist_pair){missing_rows_index(a, q), key}));
}

static void start_read(struct missing_rows *a, const struct hist_predicate *q)
{
    match(a, q);
    a->stamp++;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        a->settled[a->h->ops.data[i].key] = a->stamp;
}

void missing_rows_look(struct missing_rows *a, const struct hist_predicate *q)
{
    const struct history *h = a->h;
    start_read(a, q);
    /* What it had written itself hides what others wrote. */
    for (uint32_t i = q->first_op; i-- > h->txns.data[q->txn].first_op;) {
        if (!hist_is_row_write(&h->ops.data[i]))
            continue;
        judge(a, q, h->ops.data[i].key, a->entry[i]);
        a->settled[h->ops.data[i].key] = a->stamp;
    }
    for (uint32_t k = 0; k < h->keys.len; k++)
        judge(a, q, k, a->seen[k]);
}

void missing_rows_all(struct missing_rows *a, const struct hist_predicate *q, lower_rows *out)
{
    start_read(a, q);
    for (uint32_t k = 0; k < a->h->keys.len; k++)
        if (is_open(a, k) && memchr(a->match + a->first[k], 1, a->first[k + 1] - a->first[k]))
            vec_push(out, ((struct hist_pair){missing_rows_index(a, q), k}));
}

/* --- orders of events ------------------------------------------------------------------------ */

static void begin(struct missing_rows *a, uint32_t txn)
{
    for (const struct hist_predicate *q = missing_rows_first(a, txn); q;
         q = missing_rows_after(a, q))
        missing_rows_look(a, q);
}

void missing_rows_commit(struct missing_rows *a, uint32_t txn)
{
    const struct hist_txn *t = &a->h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (hist_is_row_write(&a->h->ops.data[i]))
            a->seen[a->h->ops.data[i].key] = a->entry[i];
}

static void replay(struct missing_rows *a, const struct certificate *c)
{
    for (uint32_t k = 0; k < a->h->keys.len; k++)
        a->seen[k] = a->first[k];
    for (size_t i = 0; i < c->len; i++) {
        bool serial = c->kind == CHECK_SERIAL;
        uint32_t txn = c->order[i] / (serial ? 1 : 2);
        if (serial || c->order[i] % 2 == 0)
            begin(a, txn);
        if (serial || c->order[i] % 2)
            missing_rows_commit(a, txn);
    }
}

const char *certify_missing_rows(const struct lowered *items, const struct certificate *c,
                                 struct missing_rows *a, struct arena *messages)
{
    const char *error = NULL;
    vec_clear(&a->wrong);
    a->too_large = false;
    a->spans = items->spans;
    if (c->kind == CHECK_ARBITRATION) {
        struct history view;
        const struct history *settled = rereads_settle(items->history, c->level, &view);
        error = certify_arbitration(settled, c, a, messages);
        rereads_free(settled, &view);
    } else {
        replay(a, c);
    }
    return error;
}
