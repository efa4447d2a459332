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

/* --- rows and what counts of them ------------------------------------------------------------ */

static bool counts(const struct deriver *d, const struct derive_row *r, uint32_t pos)
{
    return r->item || matches_at(d, r->row, pos) != matches_at(d, r->row, pos - 1);
}

static void note_row(struct deriver *d, const struct hist_predicate *q, struct derive_row r,
                     uint32_t pos)
{
    uint32_t len = chain_len(d, r.row);
    r.last = pos;
    r.next = pos + 1;
    while (r.last && !counts(d, &r, r.last))
        r.last--;
    while (r.next <= len && !counts(d, &r, r.next))
        r.next++;
    /* Its own version, written later: the row's version order says all that there is to say. */
    if (r.last && d->op_txn[chain_op(d, r.row, r.last)] == q->txn)
        return;
    r.next = r.next <= len ? r.next : 0;
    if (r.last || r.next)
        vec_push(&d->rows, r);
}

/* --- all rows -------------------------------------------------------------------------------- */

static void plan_version(struct deriver *d, uint32_t key, const struct derive_row *r, uint32_t pos)
{
    if (pos)
        derive_plan_write(d, key, chain_op(d, r->row, pos), r->item || matches_at(d, r->row, pos));
}

/* Repeatable read: only that it depends on the last version. */
static void plan_single(struct deriver *d, const struct hist_predicate *q, struct derive_row *r)
{
    uint32_t op = chain_op(d, r->row, r->last);
    if (!r->last)
        return;
    uint32_t single = derive_single_key(d, r->class, r->row, op);
    derive_plan_write(d, single, op, r->matches);
    derive_plan_read(d, q, single, op, r->matches);
}

/* The read, the version that it names, and a later one (0: none) that it precedes.  All other
 * versions are ordered by the row's own; *fresh: the key is new. */
static uint32_t plan_row(struct deriver *d, const struct hist_predicate *q, struct derive_row *r,
                         uint32_t later, bool *fresh)
{
    bool first = r->item || matches_at(d, r->row, 0);
    uint32_t key = derive_row_key(d, r->class, r->row, hist_int(first), fresh);
    plan_version(d, key, r, r->last);
    plan_version(d, key, r, later);
    if (!r->planned)
        derive_plan_read(d, q, key, chain_op(d, r->row, r->last), r->matches);
    r->planned = true;
    return key;
}

static void plan_rows(struct deriver *d, const struct hist_predicate *q)
{
    for (size_t i = 0; i < d->rows.len && !derive_stopped(d); i++) {
        struct derive_row *r = &d->rows.data[i];
        if (d->o->items_only && !r->item) {
            plan_single(d, q, r);
            continue;
        }
        bool fresh;
        uint32_t key = plan_row(d, q, r, r->next, &fresh);
        for (uint32_t pos = 1; fresh && d->o->all_versions && pos <= chain_len(d, r->row); pos++)
            if (counts(d, r, pos))
                plan_version(d, key, r, pos);
    }
}

/* --- the nearest of each session ------------------------------------------------------------- */

/* Session and place in it, from 1, of a version's transaction. */
static uint32_t session_place(const struct deriver *d, uint32_t row, uint32_t pos,
                              uint32_t *session)
{
    const struct hist_txn *t = &d->h->txns.data[d->op_txn[chain_op(d, row, pos)]];
    *session = t->session;
    return t->index + 1;
}

static void consider_before(struct deriver *d, uint32_t i)
{
    const struct derive_row *r = &d->rows.data[i];
    uint32_t s, place = session_place(d, r->row, r->last, &s);
    if (place > d->before[s].place)
        d->before[s] = (struct derive_nearest){place, i, r->last};
}

static void consider_after(struct deriver *d, uint32_t i, uint32_t pos)
{
    uint32_t s, place = session_place(d, d->rows.data[i].row, pos, &s);
    if (!d->after[s].place || place < d->after[s].place)
        d->after[s] = (struct derive_nearest){place, i, pos};
}

static void find_nearest(struct deriver *d)
{
    memset(d->before, 0, d->h->session_count * sizeof *d->before);
    memset(d->after, 0, d->h->session_count * sizeof *d->after);
    for (uint32_t i = 0; i < d->rows.len; i++) {
        const struct derive_row *r = &d->rows.data[i];
        if (r->last)
            consider_before(d, i);
        if (!r->next || (d->o->items_only && !r->item))
            continue;
        consider_after(d, i, r->next);
        for (uint32_t pos = r->next + 1; d->o->all_versions && pos <= chain_len(d, r->row); pos++)
            if (counts(d, r, pos))
                consider_after(d, i, pos);
    }
}

/* The others follow by session order. */
static void plan_nearest(struct deriver *d, const struct hist_predicate *q)
{
    bool fresh;
    find_nearest(d);
    for (uint32_t s = 0; s < d->h->session_count && !derive_stopped(d); s++) {
        const struct derive_nearest *b = &d->before[s], *a = &d->after[s];
        if (b->place && d->o->items_only && !d->rows.data[b->row].item)
            plan_single(d, q, &d->rows.data[b->row]);
        else if (b->place)
            plan_row(d, q, &d->rows.data[b->row], 0, &fresh);
        if (a->place)
            plan_row(d, q, &d->rows.data[a->row], a->pos, &fresh);
    }
}

/* --- results --------------------------------------------------------------------------------- */

static void judge_row(struct deriver *d, const struct hist_predicate *q, uint32_t class,
                      uint32_t key, struct pred_sum *sum)
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
    note_row(d, q, (struct derive_row){.class = class, .row = key, .matches = matches}, pos);
    if (matches && q->kind >= HIST_SUM) /* an aggregate reads the items that it is computed from */
        note_row(d, q,
                 (struct derive_row){
                     .class = derive_class(d, "item"), .row = key, .matches = true, .item = true},
                 pos);
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
            judge_row(d, q, class, k, &sum);
    if (!derive_stopped(d) && q->kind >= HIST_COUNT && !pred_agrees(q, &sum))
        derive_wrong_aggregate(d, q, &sum);
    if (d->o->by_session)
        plan_nearest(d, q);
    else
        plan_rows(d, q);
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
