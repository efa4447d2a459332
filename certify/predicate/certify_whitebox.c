/* Results against version sets; see certify_whitebox.h.  Rows are looked at one at a time, by the
 * definitions. */
#include "certify/predicate/certify_whitebox.h"

#include "base/strbuf.h"
#include "certify/certify_aggregate.h"
#include "certify/predicate/certify_view.h"

const char *view_wrong(const struct history *h, uint32_t txn, const char *what,
                       struct arena *messages)
{
    struct strbuf b = {0};
    hist_txn_text(h, txn, &b);
    const char *text = arena_printf(messages, "%s: %s", sb_str(&b), what);
    sb_free(&b);
    return text;
}

/* --- one predicate read ---------------------------------------------------------------------- */

void view_init(struct view *v, const struct history *h)
{
    size_t bytes = (h->keys.len + 1) * sizeof(uint32_t);
    *v = (struct view){.h = h, .op = mem_alloc(bytes), .returned = mem_alloc(bytes)};
    pred_init(&v->pred, h);
    v->initial = hist_initial_values(h);
    v->list_key = hist_list_keys(h);
    memset(v->op, 0xff, bytes);
    memset(v->returned, 0xff, bytes);
    v->op_txn = hist_op_txns(h);
    v->before = mem_alloc(mem_mul(h->ops.len + 1, sizeof *v->before));
    v->set = mem_alloc(bytes);
}

void view_free(struct view *v)
{
    pred_free(&v->pred);
    mem_free(v->initial);
    mem_free(v->list_key);
    mem_free(v->op);
    mem_free(v->returned);
    mem_free(v->op_txn);
    mem_free(v->before);
    mem_free(v->set);
}

/* The version set, under the transaction's own writes so far. */
static void view_fill(struct view *v, const struct hist_predicate *q, bool fill)
{
    const struct history *h = v->h;
    for (uint32_t i = q->set; i < q->set + q->set_count && q->has_set; i++) {
        uint32_t op = h->set_ops.data[i];
        v->op[h->ops.data[op].key] = fill ? op : HIST_NONE;
    }
    for (uint32_t i = h->txns.data[q->txn].first_op; i < q->first_op; i++)
        if (hist_is_write(&h->ops.data[i]))
            v->op[h->ops.data[i].key] = fill ? i : HIST_NONE;
    for (uint32_t i = q->first_op; i < q->first_op + q->rows; i++)
        v->returned[h->ops.data[i].key] = fill ? i : HIST_NONE;
}

struct hist_value view_value(const struct view *v, uint32_t key)
{
    return v->op[key] == HIST_NONE ? v->initial[key] : hist_op_value(&v->h->ops.data[v->op[key]]);
}

/* Is the row of the key, returned or not, what was seen of it? */
static bool row_stands(const struct view *v, const struct hist_predicate *q, uint32_t key)
{
    uint32_t read = v->returned[key];
    if (v->list_key[key])
        return true;
    if (pred_matches(&v->pred, q, key, view_value(v, key)) != (read != HIST_NONE))
        return false;
    return read == HIST_NONE ||
           hist_value_eq(view_value(v, key), hist_op_value(&v->h->ops.data[read]));
}

bool view_sum_stands(const struct view *v, const struct hist_predicate *q)
{
    struct pred_sum sum = {0};
    for (uint32_t k = 0; k < v->h->keys.len; k++)
        if (!v->list_key[k] && pred_matches(&v->pred, q, k, view_value(v, k)))
            pred_add(&v->pred, q, k, view_value(v, k), &sum);
    return pred_agrees(q, &sum);
}

/* --- version sets ---------------------------------------------------------------------------- */

/* The transaction's last write of the key before the predicate read, or HIST_NONE. */
uint32_t view_own_write(const struct history *h, const struct hist_predicate *q, uint32_t key)
{
    uint32_t own = HIST_NONE;
    for (uint32_t i = h->txns.data[q->txn].first_op; i < q->first_op; i++)
        if (hist_is_write(&h->ops.data[i]) && h->ops.data[i].key == key)
            own = i;
    return own;
}

/* Could the write be in the version set of a predicate read? */
static bool may_be_seen(const struct view *v, const struct hist_predicate *q, uint32_t op)
{
    uint32_t own = view_own_write(v->h, q, v->h->ops.data[op].key);
    if (v->op_txn[op] == q->txn)
        return op == own;
    return own == HIST_NONE && v->h->txns.data[v->op_txn[op]].status == HIST_COMMITTED &&
           hist_is_final(v->h, v->op_txn[op], op);
}

/* Two versions of one row by others; `op` is one of them. */
static bool is_second(const struct history *h, const struct hist_predicate *q, uint32_t op)
{
    uint32_t count = 0;
    for (uint32_t i = q->set; i < q->set + q->set_count; i++) {
        uint32_t other = h->set_ops.data[i];
        count += h->ops.data[other].key == h->ops.data[op].key && hist_op_txn(h, other) != q->txn;
    }
    return count > 1;
}

static bool set_contains(const struct history *h, const struct hist_predicate *q, uint32_t op)
{
    for (uint32_t i = q->set; i < q->set + q->set_count && q->has_set; i++)
        if (h->set_ops.data[i] == op)
            return true;
    return false;
}

static bool set_fault_stands(const struct view *v, const struct hist_predicate *q, uint32_t op)
{
    return op < v->h->ops.len && set_contains(v->h, q, op) &&
           (!may_be_seen(v, q, op) || is_second(v->h, q, op));
}

/* Without version set: a returned row that does not match, or an own one that was left out. */
static bool bare_row_stands(const struct view *v, const struct hist_predicate *q, uint32_t key)
{
    uint32_t read = v->returned[key];
    if (read != HIST_NONE)
        return pred_matches(&v->pred, q, key, hist_op_value(&v->h->ops.data[read]));
    return v->op[key] == HIST_NONE || !pred_matches(&v->pred, q, key, view_value(v, key));
}

/* Without version set: do some versions of the rows give the result?  All that may have been
 * committed count. */
static bool some_sum_stands(const struct history *h, const struct hist_predicate *q)
{
    struct aggregates a;
    struct aggregate_ways w;
    hist_facts_ops sources = {0};
    struct history with = *h; /* the same, with the aggregate as one that is asked about */
    struct hist_predicate any = *q;
    any.any = true;
    with.predicates.data = &any;
    with.predicates.len = 1;
    aggregates_init(&a, &with);
    aggregate_ways_start(&a, &any, &w);
    for (uint32_t k = 0; k < h->keys.len; k++) {
        if (!a.row[k] || aggregate_is_own(&a, k))
            continue;
        vec_clear(&sources);
        vec_push(&sources, HIST_NONE);
        for (uint32_t i = 0; i < h->ops.len; i++) {
            uint32_t txn = h->ops.data[i].key == k ? hist_op_txn(h, i) : q->txn;
            if (txn != q->txn && hist_is_write(&h->ops.data[i]) &&
                h->txns.data[txn].status != HIST_ABORTED)
                vec_push(&sources, i);
        }
        aggregate_ways_row(&a, &w, k, &sources);
    }
    aggregate_ways_close(&w);
    bool stands = aggregate_ways_any(&w);
    aggregate_ways_free(&w);
    aggregates_free(&a);
    vec_free(&sources);
    return stands;
}

const char *certify_mismatch(const struct history *h, const struct lowered *d,
                             struct arena *messages)
{
    if (d->predicate >= h->predicates.len)
        return "the mismatch is of no predicate read";
    const struct hist_predicate *q = &h->predicates.data[d->predicate];
    struct view v;
    bool stands = true;
    if (q->txn != d->txn || q->failed || h->txns.data[q->txn].status != HIST_COMMITTED)
        return view_wrong(h, q->txn, "its predicate read does not count", messages);
    view_init(&v, h);
    view_fill(&v, q, true);
    if (d->fault == LOWER_SET)
        stands = !set_fault_stands(&v, q, d->op);
    else if (d->fault == LOWER_AGGREGATE && q->kind >= HIST_COUNT)
        stands = q->has_set ? view_sum_stands(&v, q) : some_sum_stands(h, q);
    else if (d->key < h->keys.len && q->kind == HIST_ROWS)
        stands = q->has_set ? row_stands(&v, q, d->key) : bare_row_stands(&v, q, d->key);
    view_free(&v);
    return stands ? view_wrong(h, q->txn, "its result is what it should be", messages) : NULL;
}

static bool result_stands(struct view *v, const struct hist_predicate *q)
{
    bool stands = true;
    for (uint32_t i = q->set; i < q->set + q->set_count && stands; i++)
        stands = may_be_seen(v, q, v->h->set_ops.data[i]) &&
                 v->op[v->h->ops.data[v->h->set_ops.data[i]].key] == v->h->set_ops.data[i];
    for (uint32_t k = 0; k < v->h->keys.len && stands && q->kind == HIST_ROWS; k++)
        stands = row_stands(v, q, k);
    return stands && (q->kind < HIST_COUNT || view_sum_stands(v, q));
}

const char *certify_results(const struct history *h, struct arena *messages)
{
    struct view v;
    const char *error = NULL;
    view_init(&v, h);
    for (size_t i = 0; i < h->predicates.len && !error; i++) {
        const struct hist_predicate *q = &h->predicates.data[i];
        if (!q->has_set || q->failed || h->txns.data[q->txn].status != HIST_COMMITTED)
            continue;
        view_fill(&v, q, true);
        if (!result_stands(&v, q))
            error = view_wrong(h, q->txn, "a result is not that of its version set", messages);
        view_fill(&v, q, false);
    }
    view_free(&v);
    return error;
}
