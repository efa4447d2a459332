/* From predicate reads to items; see lower.h.  The result goes through the engine and its
 * certificates like any other history; the comparison with the oracle is in
 * tests/unit/test_whitebox.c. */
#include "history/lower/lower.h"

#include <assert.h>

#include "base/limit_poll.h"
#include "history/lower/aggregate_ways.h"
#include "history/lower/lower_internal.h"

/* --- without version set ------------------------------------------------------------------- */

static void plan_status(struct lowering *d, uint32_t key, uint32_t op, bool yes)
{
    bool fresh;
    map_put(&d->written, (uint64_t)key << 32 | op, 0, &fresh);
    if (!fresh)
        return;
    if (d->chains.pos && d->chains.pos[op])
        vec_push(&d->plan.versions,
                 ((struct lower_version){key, d->chains.pos[op], (uint32_t)d->plan.ops.len}));
    lower_plan_op(d, (struct lower_op){
                         .txn = d->op_txn[op], .at = op, .key = key, .write = true, .value = yes});
}

static bool op_matches(const struct lowering *d, const struct hist_predicate *q, uint32_t op)
{
    const struct hist_op *o = &d->h->ops.data[op];
    return pred_matches(&d->pred, q, o->key, hist_op_value(o));
}

/* The new key says of every version whether it matches. */
static void plan_all(struct lowering *d, const struct hist_predicate *q, uint32_t key, uint32_t row)
{
    for (uint32_t i = d->write_start[row]; i < d->write_start[row + 1]; i++)
        plan_status(d, key, d->writes[i], op_matches(d, q, d->writes[i]));
}

/* If what is visible of a row are its first versions, up to some one, those that change whether it
 * matches are enough. */
static void plan_changes(struct lowering *d, const struct hist_predicate *q, uint32_t key,
                         uint32_t row)
{
    bool last = pred_matches(&d->pred, q, row, d->initial[row]);
    for (uint32_t pos = 1; pos <= lower_chain_len(d, row); pos++) {
        uint32_t op = lower_chain_op(d, row, pos);
        bool yes = op_matches(d, q, op);
        if (yes != last)
            plan_status(d, key, op, yes);
        last = yes;
    }
}

/* Are all versions of the row, if they ever came to be, in a known order? */
static bool is_ordered(const struct lowering *d, uint32_t row)
{
    bool ordered = d->h->version_orders_complete;
    for (uint32_t i = d->write_start[row]; i < d->write_start[row + 1] && ordered; i++)
        ordered = d->h->txns.data[d->op_txn[d->writes[i]]].status != HIST_UNKNOWN;
    return ordered;
}

static uint32_t status_key(struct lowering *d, const struct hist_predicate *q, uint32_t class,
                           uint32_t row)
{
    bool fresh, changes = !d->o->all_versions && is_ordered(d, row);
    if (changes)
        d->plan.levels = HIST_FOR_STRONG;
    uint32_t key = lower_row_key(d, class, row,
                                 hist_int(pred_matches(&d->pred, q, row, d->initial[row])), &fresh);
    if (fresh && changes)
        plan_changes(d, q, key, row);
    else if (fresh)
        plan_all(d, q, key, row);
    /* Its own writes, whatever they change. */
    for (uint32_t i = d->write_start[row]; changes && i < d->write_start[row + 1]; i++)
        if (d->op_txn[d->writes[i]] == q->txn)
            plan_status(d, key, d->writes[i], op_matches(d, q, d->writes[i]));
    return key;
}

static bool ever_matches(const struct lowering *d, const struct hist_predicate *q, uint32_t row)
{
    bool any = pred_matches(&d->pred, q, row, d->initial[row]);
    for (uint32_t i = d->write_start[row]; i < d->write_start[row + 1] && !any; i++)
        any = pred_matches(&d->pred, q, row, hist_op_value(&d->h->ops.data[d->writes[i]]));
    return any;
}

/* All writes, key by key, each initial version first: those of key k start at write_start[k] + k.
 */
static void make_writes_table(struct lowering *d)
{
    const struct history *h = d->h;
    size_t n = h->keys.len + d->write_start[h->keys.len], i = 0;
    d->all_key = mem_alloc(mem_mul(n + 1, sizeof *d->all_key));
    d->all_value = mem_alloc(mem_mul(n + 1, sizeof *d->all_value));
    d->all_match = mem_alloc(n + 1);
    for (uint32_t k = 0; k < h->keys.len; k++) {
        d->all_key[i] = k;
        d->all_value[i++] = d->initial[k];
        for (uint32_t w = d->write_start[k]; w < d->write_start[k + 1]; w++) {
            d->all_key[i] = k;
            d->all_value[i++] = hist_op_value(&h->ops.data[d->writes[w]]);
        }
    }
    d->all = (struct pred_table){.p = &d->pred, .len = n, .key = d->all_key, .value = d->all_value};
}

/* May the aggregate have been made of the row, in a version by somebody else? */
static bool may_contribute(const struct lowering *d, const struct hist_predicate *q, uint32_t row)
{
    const uint8_t *match = d->all_match + d->write_start[row] + row;
    bool any = match[0];
    for (uint32_t i = d->write_start[row]; i < d->write_start[row + 1] && !any; i++)
        any = match[1 + i - d->write_start[row]] && d->op_txn[d->writes[i]] != q->txn;
    return any;
}

/* What a row may be: all versions that may have been committed. */
static void add_options(struct lowering *d, const struct hist_predicate *q, uint32_t row,
                        struct aggregate_ways *w)
{
    const struct history *h = d->h;
    vec_push(&w->rows, (uint32_t)w->options.len);
    vec_push(&w->options, aggregate_option_of(&d->pred, q, row, d->initial[row]));
    for (uint32_t i = d->write_start[row]; i < d->write_start[row + 1]; i++) {
        uint32_t op = d->writes[i];
        struct aggregate_option x =
            aggregate_option_of(&d->pred, q, row, hist_op_value(&h->ops.data[op]));
        const struct aggregate_option *last = &vec_last(&w->options);
        if (h->txns.data[d->op_txn[op]].status != HIST_ABORTED && d->op_txn[op] != q->txn &&
            (x.counts != last->counts || x.number != last->number))
            vec_push(&w->options, x); /* versions come in runs that contribute the same */
    }
}

/* Do some versions of the rows give the result?  Large aggregates are left to the engine. */
static bool may_be(struct lowering *d, const struct hist_predicate *q,
                   const struct lower_aggregate_rows *j)
{
    enum { LARGE = 300, WIDE = 1 << 16 };
    struct pred_sum own = {0};
    struct aggregate_ways w;
    for (uint32_t k = 0; k < d->h->keys.len; k++) {
        if (d->list_key[k] || !lower_is_own(d, k))
            continue;
        struct hist_value v = hist_op_value(&d->h->ops.data[d->own[k]]);
        if (pred_matches(&d->pred, q, k, v))
            pred_add(&d->pred, q, k, v, &own);
    }
    aggregate_ways_begin(&w, q, &own);
    w.widest = WIDE;
    for (uint32_t i = j->start; i < j->start + j->rows && w.options.len < LARGE; i++)
        add_options(d, q, d->plan.aggregate_rows.data[i], &w);
    if (w.options.len < LARGE)
        aggregate_ways_close(&w);
    bool possible = w.options.len >= LARGE || aggregate_ways_any(&w);
    aggregate_ways_free(&w);
    return possible;
}

/* What the transaction wrote itself is fixed; of every other row that contributes something in some
 * version it read some version, and together they give the result. */
static void aggregate(struct lowering *d, const struct hist_predicate *q)
{
    struct lower_aggregate_rows j = {(uint32_t)(q - d->h->predicates.data), 0, 0};
    uint32_t class = d->o->items_only ? lower_predicate_class(d, q) : 0;
    if (!d->all_key)
        make_writes_table(d);
    j.start = (uint32_t)d->plan.aggregate_rows.len;
    pred_table_match(&d->all, q, d->all_match);
    for (uint32_t k = 0; k < d->h->keys.len; k++) {
        if (d->list_key[k] || lower_is_own(d, k) || !may_contribute(d, q, k))
            continue;
        if (d->o->items_only)
            lower_repeatable_item(d, q, class, k);
        else
            vec_push(&d->plan.aggregate_rows, k);
    }
    j.rows = (uint32_t)d->plan.aggregate_rows.len - j.start;
    bool possible = (j.rows && d->o->items_only) || may_be(d, q, &j);
    if (!possible && d->h->txns.data[q->txn].status == HIST_COMMITTED)
        lower_impossible_aggregate(d, q);
    else if (!possible)
        d->plan.absent[q->txn] = 1;
    vec_push(&d->plan.aggregates, j);
}

/* The row was not returned: the transaction read "does not match". */
static void missing_row(struct lowering *d, const struct hist_predicate *q, uint32_t class,
                        uint32_t row)
{
    if (d->list_key[row] || d->row_at[row] == d->stamp)
        return;
    lower_plan_op(d, (struct lower_op){.txn = q->txn,
                                       .at = q->first_op,
                                       .key = status_key(d, q, class, row),
                                       .predicate = (uint32_t)(q - d->h->predicates.data),
                                       .value = 0});
}

static void missing_row_list(struct lowering *d, const struct hist_predicate *q, uint32_t class)
{
    const lower_rows *only = d->o->only;
    uint32_t index = (uint32_t)(q - d->h->predicates.data);
    if (!only) {
        for (uint32_t k = 0; k < d->h->keys.len && !lower_stopped(d); k++)
            if (ever_matches(d, q, k))
                missing_row(d, q, class, k);
        return;
    }
    for (; d->only < only->len && only->data[d->only].from < index;)
        d->only++;
    for (; d->only < only->len && only->data[d->only].from == index; d->only++)
        missing_row(d, q, class, only->data[d->only].to);
}

static void without_set(struct lowering *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    if (q->kind >= HIST_COUNT) {
        aggregate(d, q);
        return;
    }
    uint32_t class = lower_predicate_class(d, q);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && !lower_stopped(d); i++) {
        struct hist_value v = hist_op_value(&h->ops.data[i]);
        if (!pred_matches(&d->pred, q, h->ops.data[i].key, v))
            lower_wrong_row(d, q, h->ops.data[i].key, HIST_NONE, v,
                            "returned a row that does not match:");
    }
    if (d->o->items_only) {
        lower_repeatable_rows(d, q);
        return;
    }
    missing_row_list(d, q, class);
}

/* --- all of them --------------------------------------------------------------------------- */

static void note_own(struct lowering *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    d->stamp++;
    for (uint32_t i = h->txns.data[q->txn].first_op; i < q->first_op; i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (!hist_is_row_write(op))
            continue;
        d->own_at[op->key] = d->stamp;
        d->own[op->key] = i;
    }
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++) {
        d->row_at[h->ops.data[i].key] = d->stamp;
        d->row[h->ops.data[i].key] = i;
    }
}

/* Rows, or lists as well. */
static bool writes_something(const struct history *h, uint32_t txn, bool lists)
{
    for (uint32_t i = 0; i < h->txns.data[txn].op_count; i++)
        if (hist_txn_ops(h, txn)[i].kind == HIST_WRITE ||
            (lists && hist_txn_ops(h, txn)[i].kind == HIST_APPEND))
            return true;
    return false;
}

/* Which versions exist is open if a writer may not have committed; then only reads without version
 * sets, whose status keys follow their writers, make sense. */
static void check_outcomes(struct lowering *d)
{
    const struct history *h = d->h;
    bool sets = false;
    for (size_t i = 0; i < h->predicates.len; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        sets |= q->has_set && h->txns.data[q->txn].status == HIST_COMMITTED;
    }
    for (uint32_t t = 0; t < h->txns.len && sets; t++)
        if (h->txns.data[t].status == HIST_UNKNOWN && writes_something(h, t, false))
            d->out->unknown = "version sets are decided only if every writer's outcome is known";
}

static void lower_one(struct lowering *d, const struct hist_predicate *q)
{
    uint8_t status = d->h->txns.data[q->txn].status;
    if (q->failed || status == HIST_ABORTED)
        return;
    if (q->kind == HIST_RANGE && !d->o->items_only)
        return; /* the operations say it all */
    if (status == HIST_UNKNOWN && q->has_set) {
        /* One that only reads may as well not have happened. */
        if (writes_something(d->h, q->txn, true))
            lower_unknown(d, q, "its transaction's outcome is unknown");
        d->plan.absent[q->txn] = 1;
        return;
    }
    note_own(d, q);
    if (q->kind == HIST_RANGE)
        lower_repeatable_range(d, q);
    else if (q->has_set)
        lower_with_set(d, q);
    else
        without_set(d, q);
}

static void index_writes(struct lowering *d)
{
    const struct history *h = d->h;
    d->write_start = mem_calloc(h->keys.len + 2, sizeof *d->write_start);
    d->writes = mem_alloc(mem_mul(h->ops.len + 1, sizeof *d->writes));
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < h->ops.len; i++) {
            const struct hist_op *op = &h->ops.data[i];
            if (!hist_is_row_write(op))
                continue;
            if (pass)
                d->writes[d->write_start[op->key + 1]++] = i;
            else
                d->write_start[op->key + 2]++;
        }
        for (size_t k = 0; !pass && k < h->keys.len; k++)
            d->write_start[k + 2] += d->write_start[k + 1];
    }
}

static void lowering_init(struct lowering *d)
{
    size_t keys = d->h->keys.len + 1;
    uint32_t **per_key[] = {&d->seen_at, &d->version, &d->row_at, &d->row, &d->own_at, &d->own};
    pred_init(&d->pred, d->h);
    d->initial = hist_initial_values(d->h);
    d->list_key = hist_list_keys(d->h);
    for (size_t i = 0; i < sizeof per_key / sizeof *per_key; i++)
        *per_key[i] = mem_calloc(keys, sizeof **per_key[i]);
    d->before = mem_calloc(d->h->session_count + 1, sizeof *d->before);
    d->after = mem_calloc(d->h->session_count + 1, sizeof *d->after);
    d->plan.old = d->o->items_only;
    d->plan.drop = mem_calloc(d->h->ops.len + 1, 1);
    d->plan.absent = mem_calloc(d->h->txns.len + 1, 1);
    index_writes(d);
    d->op_txn = hist_op_txns(d->h);
    if (d->h->version_orders_complete)
        lower_make_table(d);
}

static void lowering_free(struct lowering *d)
{
    uint32_t *per_key[] = {d->seen_at, d->version,     d->row_at, d->row,
                           d->own_at,  d->write_start, d->own,    d->writes};
    pred_free(&d->pred);
    mem_free(d->initial);
    mem_free(d->list_key);
    for (size_t i = 0; i < sizeof per_key / sizeof *per_key; i++)
        mem_free(per_key[i]);
    vo_chains_free(&d->chains);
    pred_table_free(&d->table);
    pred_table_free(&d->all);
    mem_free(d->all_key);
    mem_free(d->all_value);
    mem_free(d->all_match);
    mem_free(d->table_key);
    mem_free(d->table_value);
    mem_free(d->match);
    mem_free(d->op_txn);
    mem_free(d->before);
    mem_free(d->after);
    vec_free(&d->reads);
    vec_free(&d->rows);
    mem_free(d->seen_by);
    mem_free(d->barred_by);
    mem_free(d->barred_here);
    mem_free(d->wanted_by);
    mem_free(d->noted_by);
    vec_free(&d->plan.ops);
    vec_free(&d->plan.aggregates);
    vec_free(&d->plan.aggregate_rows);
    vec_free(&d->plan.keys);
    vec_free(&d->plan.versions);
    mem_free(d->plan.drop);
    mem_free(d->plan.absent);
    arena_free(&d->names);
    vec_free(&d->class_texts);
    intern_free(&d->classes);
    map_free(&d->keys);
    map_free(&d->version_keys);
    map_free(&d->written);
}

static void note_absent(struct lowering *d)
{
    const lower_rows *only = d->o->only;
    struct history *to = d->out->history;
    to->lowered.some_missing_rows = only != NULL;
    to->lowered.exact_sets = d->o->exact;
    for (size_t i = 0; only && i < only->len; i++) {
        uint32_t q = only->data[i].from, txn = d->h->predicates.data[q].txn;
        vec_push(&to->lowered.missing_rows,
                 ((struct hist_missing_row){txn, q - hist_first_predicate(d->h, txn),
                                            only->data[i].to}));
    }
}

enum lower_view lower_view_of(enum model_id m)
{
    return m == MODEL_EC || m == MODEL_RC || m == MODEL_RA ? LOWER_DIRECT
           : m == MODEL_CC                                 ? LOWER_CAUSAL
                                                           : LOWER_STRONG;
}

struct lower_options lower_view_options(enum lower_view view, bool by_session)
{
    return (struct lower_options){.items_only = view == LOWER_ITEMS,
                                  .all_versions = view != LOWER_STRONG && view != LOWER_ITEMS,
                                  .by_session = by_session,
                                  .direct = view == LOWER_DIRECT,
                                  .exact = view == LOWER_EXACT};
}

bool lower_needed(const struct history *h, const struct lower_options *o)
{
    for (size_t i = 0; i < h->predicates.len; i++)
        if (!h->predicates.data[i].any &&
            (h->predicates.data[i].kind != HIST_RANGE || o->items_only))
            return true;
    return false;
}

void lower_history(const struct history *h, const struct lower_options *o, struct arena *messages,
                   struct lowered *out)
{
    struct lowering d = {.h = h, .o = o, .messages = messages, .out = out};
    *out = (struct lowered){0};
    if (!lower_needed(h, o))
        return;
    limit_phase("working out the predicate reads");
    assert(h->finished);
    lowering_init(&d);
    check_outcomes(&d);
    for (size_t i = 0; i < h->predicates.len && !lower_stopped(&d); i++) {
        lower_one(&d, &h->predicates.data[i]);
        if (i + 1 == h->predicates.len ||
            h->predicates.data[i].txn != h->predicates.data[i + 1].txn)
            lower_end_txn(&d);
        if (limit_reached())
            out->unknown = limit_text();
    }
    if (!lower_stopped(&d)) {
        out->history = lower_copy(h, &d.plan, &out->spans);
        const char *error = hist_finish(out->history);
        assert(!error);
        (void)error;
        note_absent(&d);
    }
    lowering_free(&d);
}
