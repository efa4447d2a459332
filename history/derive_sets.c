/* Predicate reads with version sets; see derive.h. */
#include "history/derive_internal.h"

static uint32_t chain_op(const struct deriver *d, uint32_t key, uint32_t pos)
{
    return pos ? d->chains.ops[d->chains.start[key] + pos - 1] : HIST_NONE;
}

static struct hist_value chain_value(const struct deriver *d, uint32_t key, uint32_t pos)
{
    return pos ? hist_op_value(&d->h->ops.data[chain_op(d, key, pos)]) : d->initial[key];
}

static uint32_t chain_len(const struct deriver *d, uint32_t key)
{
    return d->chains.start[key + 1] - d->chains.start[key];
}

static bool matches_at(const struct deriver *d, uint32_t key, uint32_t pos)
{
    return d->match[d->chains.start[key] + key + pos];
}

/* All versions that change the matches, for the levels that need them. */
static void plan_all(struct deriver *d, uint32_t key, uint32_t row)
{
    bool before = matches_at(d, row, 0);
    for (uint32_t i = 1; i <= chain_len(d, row); i++) {
        bool now = matches_at(d, row, i);
        if (now != before)
            derive_plan_write(d, key, chain_op(d, row, i), now);
        before = now;
    }
}

/* The last version that changed the matches and is not newer than the one in the version set, and
 * the next that does.  All others are ordered by these two and the row's own versions. */
static void note_row(struct deriver *d, const struct hist_predicate *q, uint32_t row, uint32_t pos,
                     bool matches)
{
    uint32_t last = pos, next = pos + 1, len = chain_len(d, row);
    while (last && matches_at(d, row, last - 1) == matches)
        last--;
    while (next <= len && matches_at(d, row, next) == matches)
        next++;
    /* Its own version, written later: the row's version order says all that there is to say. */
    if (last && d->op_txn[chain_op(d, row, last)] == q->txn)
        return;
    next = next <= len ? next : 0;
    if (last || next)
        vec_push(&d->rows, ((struct derive_row){row, last, next, matches}));
}

/* The transaction of a version, and its place in its session from 1; 0 without version. */
static uint32_t session_place(const struct deriver *d, uint32_t row, uint32_t pos,
                              uint32_t *session)
{
    if (!pos)
        return 0;
    const struct hist_txn *t = &d->h->txns.data[d->op_txn[chain_op(d, row, pos)]];
    *session = t->session;
    return t->index + 1;
}

/* Do the versions of a row say more than those of other rows and session order do? */
static void find_nearest(struct deriver *d)
{
    memset(d->before, 0, d->h->session_count * sizeof *d->before);
    memset(d->after, 0, d->h->session_count * sizeof *d->after);
    for (size_t i = 0; i < d->rows.len; i++) {
        const struct derive_row *r = &d->rows.data[i];
        uint32_t s = 0, place = session_place(d, r->row, r->last, &s);
        if (place > d->before[s])
            d->before[s] = place;
        place = session_place(d, r->row, r->next, &s);
        if (place && (!d->after[s] || place < d->after[s]))
            d->after[s] = place;
    }
}

static void plan_single(struct deriver *d, const struct hist_predicate *q, uint32_t class,
                        const struct derive_row *r)
{
    uint32_t op = chain_op(d, r->row, r->last);
    uint32_t single = derive_single_key(d, class, r->row, op);
    derive_plan_write(d, single, op, r->matches);
    derive_plan_read(d, q, single, op, r->matches);
}

/* Where only one of the two versions matters, the read still has to name the last one; that the
 * next one is left out only means that the read precedes those after it. */
static void plan_rows(struct deriver *d, const struct hist_predicate *q, uint32_t class)
{
    if (d->o->by_session)
        find_nearest(d);
    for (size_t i = 0; i < d->rows.len && !derive_stopped(d); i++) {
        const struct derive_row *r = &d->rows.data[i];
        uint32_t s = 0, place = session_place(d, r->row, r->last, &s);
        bool fresh, last = place && (!d->o->by_session || place == d->before[s]);
        place = session_place(d, r->row, r->next, &s);
        bool next = place && (!d->o->by_session || place == d->after[s]);
        if (d->o->items_only && last)
            plan_single(d, q, class, r);
        if (d->o->items_only || !(last || next))
            continue;
        uint32_t key = derive_row_key(d, class, r->row, hist_int(matches_at(d, r->row, 0)), &fresh);
        if (r->last)
            derive_plan_write(d, key, chain_op(d, r->row, r->last), r->matches);
        if (next)
            derive_plan_write(d, key, chain_op(d, r->row, r->next), !r->matches);
        if (fresh && d->o->all_versions)
            plan_all(d, key, r->row);
        derive_plan_read(d, q, key, chain_op(d, r->row, r->last), r->matches);
    }
}

/* An aggregate reads the items that it is computed from. */
static void plan_item(struct deriver *d, const struct hist_predicate *q, uint32_t row, uint32_t pos)
{
    bool fresh;
    uint32_t len = chain_len(d, row);
    if (!len)
        return;
    uint32_t key = derive_row_key(d, derive_class(d, "item"), row, hist_int(1), &fresh);
    for (uint32_t i = pos ? pos : 1; i <= len && (i <= pos + 1 || d->o->all_versions); i++)
        derive_plan_write(d, key, chain_op(d, row, i), true);
    derive_plan_read(d, q, key, chain_op(d, row, pos), true);
}

static void judge_row(struct deriver *d, const struct hist_predicate *q, uint32_t key,
                      struct pred_sum *sum)
{
    uint32_t pos = d->seen_at[key] == d->stamp ? d->version[key] : 0;
    uint32_t op = derive_is_own(d, key) ? d->own[key] : chain_op(d, key, pos);
    struct hist_value v = op == HIST_NONE ? d->initial[key] : hist_op_value(&d->h->ops.data[op]);
    bool matches =
        derive_is_own(d, key) ? pred_matches(&d->pred, q, key, v) : matches_at(d, key, pos);
    bool returned = d->row_at[key] == d->stamp;
    if (matches)
        pred_add(&d->pred, q, key, v, sum);
    if (q->kind == HIST_ROWS && matches != returned) {
        derive_wrong_row(d, q, key, op, v,
                         matches ? "did not return a row of its version set that matches:"
                                 : "returned a row that does not match in its version set:");
        return;
    }
    if (returned && !hist_value_eq(v, hist_op_value(&d->h->ops.data[d->row[key]]))) {
        derive_wrong_row(d, q, key, op, v,
                         "returned another version of a row than that of its version "
                         "set:");
        return;
    }
    if (derive_is_own(d, key))
        return;
    note_row(d, q, key, pos, matches);
    if (matches && q->kind >= HIST_SUM)
        plan_item(d, q, key, pos);
}

/* Note the versions of the set.  A version that no committed transaction left behind cannot be in
 * one. */
static void note_set(struct deriver *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    for (uint32_t i = q->set; i < q->set + q->set_count && !derive_stopped(d); i++) {
        uint32_t op = h->set_ops.data[i], key = h->ops.data[op].key, txn = d->op_txn[op];
        if (txn == q->txn) {
            if (op >= q->first_op || !derive_is_own(d, key) || d->own[key] != op)
                derive_wrong_set(
                    d, q, op, "its version set has a version of its own that it did not see then:");
            continue;
        }
        if (derive_is_own(d, key))
            derive_wrong_set(d, q, op, "its version set has a row that it had overwritten itself:");
        else if (!d->chains.pos[op])
            derive_wrong_set(d, q, op,
                             "its version set has a version that was not committed or not final:");
        else if (d->seen_at[key] == d->stamp)
            derive_wrong_set(d, q, op, "its version set has two versions of one row:");
        d->seen_at[key] = d->stamp;
        d->version[key] = d->chains.pos[op];
    }
}

void derive_with_set(struct deriver *d, const struct hist_predicate *q)
{
    struct pred_sum sum = {0};
    uint32_t class = derive_predicate_class(d, q);
    if (!d->h->version_orders_complete) {
        derive_unknown(d, q, "a version set needs complete version orders");
        return;
    }
    note_set(d, q);
    pred_table_match(&d->table, q, d->match);
    vec_clear(&d->rows);
    for (uint32_t k = 0; k < d->h->keys.len && !derive_stopped(d); k++)
        if (!d->list_key[k])
            judge_row(d, q, k, &sum);
    if (!derive_stopped(d) && q->kind >= HIST_COUNT && !pred_agrees(q, &sum))
        derive_wrong_aggregate(d, q, &sum);
    plan_rows(d, q, class);
}

void derive_make_table(struct deriver *d)
{
    const struct history *h = d->h;
    vo_chains_build(&d->chains, h);
    size_t n = h->keys.len + d->chains.start[h->keys.len];
    d->table_key = mem_alloc(mem_mul(n + 1, sizeof *d->table_key));
    d->table_value = mem_alloc(mem_mul(n + 1, sizeof *d->table_value));
    d->match = mem_alloc(n + 1);
    for (uint32_t k = 0, i = 0; k < h->keys.len; k++)
        for (uint32_t pos = 0; pos <= chain_len(d, k); pos++, i++) {
            d->table_key[i] = k;
            d->table_value[i] = chain_value(d, k, pos);
        }
    d->table =
        (struct pred_table){.p = &d->pred, .len = n, .key = d->table_key, .value = d->table_value};
}
