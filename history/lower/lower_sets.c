/* Predicate reads with version sets; see lower.h. */
#include "history/lower/lower_internal.h"

static struct hist_value chain_value(const struct lowering *d, uint32_t key, uint32_t pos)
{
    return pos ? hist_op_value(&d->h->ops.data[lower_chain_op(d, key, pos)]) : d->initial[key];
}

/* Make d->match that of the predicate read. */
static void match(struct lowering *d, const struct hist_predicate *q)
{
    if (d->match_of != q)
        pred_table_match(&d->table, q, d->match);
    d->match_of = q;
}

static bool matches_at(const struct lowering *d, uint32_t key, uint32_t pos)
{
    return d->match[d->chains.start[key] + key + pos];
}

/* --- rows and runs of their versions ---------------------------------------------------------- */

/* Does the version begin a run? */
static bool changes(const struct lowering *d, const struct lower_row *r, uint32_t pos)
{
    return r->item || matches_at(d, r->row, pos) != matches_at(d, r->row, pos - 1);
}

static uint32_t run_start(const struct lowering *d, const struct lower_row *r, uint32_t pos)
{
    while (pos && !changes(d, r, pos))
        pos--;
    return pos;
}

/* How many versions of the run are by others than the transaction? */
static uint32_t versions_by_others(const struct lowering *d, const struct lower_row *r,
                                   uint32_t txn)
{
    uint32_t n = 0;
    for (uint32_t pos = r->first; pos <= r->end; pos++)
        n += !pos || lower_writer(d, r, pos) != txn;
    return n;
}

static void note_row(struct lowering *d, const struct hist_predicate *q, struct lower_row r,
                     uint32_t pos)
{
    uint32_t len = lower_chain_len(d, r.row);
    r.set = pos;
    r.first = run_start(d, &r, pos);
    r.end = pos;
    while (r.end < len && !changes(d, &r, r.end + 1))
        r.end++;
    r.next = r.end < len ? r.end + 1 : 0;
    if (r.first && d->o->all_versions)
        r.open = versions_by_others(d, &r, q->txn) > 1;
    /* A run that begins with its own later write: it saw what it cannot have seen. */
    r.kept = r.first && lower_writer(d, &r, r.first) == q->txn;
    if (r.first || r.next)
        vec_push(&d->rows, r);
}

/* --- all rows -------------------------------------------------------------------------------- */

static void plan_version_of(struct lowering *d, const struct lower_row *r, uint32_t pos,
                            uint32_t run)
{
    lower_plan_write(d, r->key, lower_chain_op(d, r->row, pos), lower_chain_op(d, r->row, run),
                     r->item || matches_at(d, r->row, pos));
}

static void plan_version(struct lowering *d, const struct lower_row *r, uint32_t pos)
{
    if (pos)
        plan_version_of(d, r, pos, run_start(d, r, pos));
}

/* Only that it depends on the version. */
static void plan_single(struct lowering *d, const struct hist_predicate *q,
                        const struct lower_row *r, uint32_t pos)
{
    uint32_t op = lower_chain_op(d, r->row, pos);
    if (!pos)
        return;
    uint32_t single = lower_single_key(d, r->class, r->row, op);
    lower_plan_write(d, single, op, op, r->matches);
    lower_plan_read(d, q, single, op, r->matches);
}

/* The version that a read names, and a later one (0: none) that it precedes.  All other versions
 * are ordered by the row's own. */
static void plan_row(struct lowering *d, struct lower_row *r, uint32_t later)
{
    bool initially = r->item || matches_at(d, r->row, 0), fresh;
    r->key = lower_row_key(d, r->class, r->row, hist_int(initially), &fresh);
    plan_version(d, r, r->settled ? r->settled : r->first);
    plan_version(d, r, later);
    r->planned = true;
}

static void plan_versions(struct lowering *d, const struct lower_row *r)
{
    bool *complete = &d->plan.keys.data[r->key].complete;
    if (*complete)
        return;
    *complete = true;
    for (uint32_t pos = 1, run = 0; pos <= lower_chain_len(d, r->row); pos++) {
        if (changes(d, r, pos))
            run = pos;
        plan_version_of(d, r, pos, run);
    }
}

/* In the order of the rows, which matters where each is a read of its own. */
static void plan_reads(struct lowering *d, const struct lower_read *read)
{
    for (uint32_t i = read->start; i < read->end && !lower_stopped(d); i++) {
        const struct lower_row *r = &d->rows.data[i];
        if (r->planned)
            lower_plan_read(d, read->q, r->key, lower_chain_op(d, r->row, r->first), r->matches);
    }
}

/* All rows, or those that must be there. */
static void plan_rows(struct lowering *d, const struct lower_read *read, bool all)
{
    const struct hist_predicate *q = read->q;
    for (uint32_t i = read->start; i < read->end && !lower_stopped(d); i++) {
        struct lower_row *r = &d->rows.data[i];
        if (!all && !r->kept)
            continue;
        if (d->o->items_only && !r->item) {
            plan_single(d, q, r, r->first);
            continue;
        }
        plan_row(d, r, r->next);
        if (d->o->all_versions)
            plan_versions(d, r);
    }
}

/* --- the nearest of each session ------------------------------------------------------------- */

/* Session and place in it, from 1, of a version's transaction. */
static uint32_t session_place(const struct lowering *d, uint32_t row, uint32_t pos,
                              uint32_t *session)
{
    const struct hist_txn *t = &d->h->txns.data[d->op_txn[lower_chain_op(d, row, pos)]];
    *session = t->session;
    return t->index + 1;
}

static void consider_before(struct lowering *d, uint32_t i, uint32_t pos)
{
    uint32_t s, place = session_place(d, d->rows.data[i].row, pos, &s);
    if (place > d->before[s].place)
        d->before[s] = (struct lower_nearest){place, i, pos};
}

static void consider_after(struct lowering *d, uint32_t i, uint32_t pos)
{
    uint32_t s, place = session_place(d, d->rows.data[i].row, pos, &s);
    if (!d->after[s].place || place < d->after[s].place)
        d->after[s] = (struct lower_nearest){place, i, pos};
}

/* Whom the read depends on for certain, of each session the last. */
static void find_before(struct lowering *d, const struct lower_read *read)
{
    memset(d->before, 0, d->h->session_count * sizeof *d->before);
    for (uint32_t i = read->start; i < read->end; i++) {
        const struct lower_row *r = &d->rows.data[i];
        if (r->first && !r->open && lower_writer(d, r, r->first) != read->q->txn)
            consider_before(d, i, r->first);
        if (r->settled && d->o->direct)
            consider_before(d, i, r->settled);
        if (r->open && d->o->exact && r->set && lower_writer(d, r, r->set) != read->q->txn)
            consider_before(d, i, r->set);
    }
}

static void find_after(struct lowering *d, const struct lower_read *read)
{
    memset(d->after, 0, d->h->session_count * sizeof *d->after);
    for (uint32_t i = read->start; i < read->end; i++) {
        const struct lower_row *r = &d->rows.data[i];
        if (!r->next || (d->o->items_only && !r->item))
            continue;
        consider_after(d, i, r->next);
        for (uint32_t pos = r->next + 1; d->o->all_versions && pos <= lower_chain_len(d, r->row);
             pos++)
            consider_after(d, i, pos);
    }
}

/* The others follow by session order. */
static void plan_before(struct lowering *d, const struct lower_read *read)
{
    find_before(d, read);
    for (uint32_t s = 0; s < d->h->session_count && !lower_stopped(d); s++) {
        const struct lower_nearest *b = &d->before[s];
        struct lower_row *r = &d->rows.data[b->row];
        if (b->place && ((d->o->items_only && !r->item) || r->open))
            plan_single(d, read->q, r, b->pos);
        else if (b->place)
            plan_row(d, r, 0);
    }
}

/* RC and RA without session order: of each transaction, once. */
static void plan_writers(struct lowering *d, const struct lower_read *read)
{
    for (uint32_t i = read->start; i < read->end && !lower_stopped(d); i++) {
        const struct lower_row *r = &d->rows.data[i];
        uint32_t pos = r->open ? r->settled : r->first;
        uint32_t writer = pos ? lower_writer(d, r, pos) : read->q->txn;
        if (writer == read->q->txn || d->noted_by[writer] == d->direct_stamp)
            continue;
        d->noted_by[writer] = d->direct_stamp;
        plan_single(d, read->q, r, pos);
    }
}

static void plan_after(struct lowering *d, const struct lower_read *read)
{
    find_after(d, read);
    for (uint32_t s = 0; s < d->h->session_count && !lower_stopped(d); s++)
        if (d->after[s].place)
            plan_row(d, &d->rows.data[d->after[s].row], d->after[s].pos);
}

static bool is_before(const struct lowering *d, const struct lower_row *r, uint32_t pos)
{
    uint32_t s, place = session_place(d, r->row, pos, &s);
    return place <= d->before[s].place;
}

/* CC: an open row of which a version is by somebody on whom the read depends anyway, or by an
 * earlier one of his session, needs no choice. */
static void settle_rows(struct lowering *d, const struct lower_read *read)
{
    find_before(d, read);
    for (uint32_t i = read->start; i < read->end; i++) {
        struct lower_row *r = &d->rows.data[i];
        if (r->open && is_before(d, r, r->set))
            r->settled = r->set;
        for (uint32_t pos = r->first; r->open && !r->settled && pos <= r->end; pos++)
            if (is_before(d, r, pos))
                r->settled = pos;
        r->kept |= r->open && !r->settled;
    }
}

/* --- results --------------------------------------------------------------------------------- */

static bool is_ambiguous(const struct lowering *d, uint32_t key, struct hist_value v)
{
    uint32_t same = 0;
    for (uint32_t pos = 0; pos <= lower_chain_len(d, key); pos++)
        same += hist_value_eq(chain_value(d, key, pos), v);
    return same > 1;
}

static void judge_row(struct lowering *d, const struct hist_predicate *q, const uint32_t *class,
                      uint32_t key, struct pred_sum *sum)
{
    uint32_t pos = d->seen_at[key] == d->stamp ? d->version[key] : 0;
    uint32_t op = lower_is_own(d, key) ? d->own[key] : lower_chain_op(d, key, pos);
    struct hist_value v = op == HIST_NONE ? d->initial[key] : hist_op_value(&d->h->ops.data[op]);
    bool matches =
        lower_is_own(d, key) ? pred_matches(&d->pred, q, key, v) : matches_at(d, key, pos);
    bool returned = d->row_at[key] == d->stamp;
    if (matches)
        pred_add(&d->pred, q, key, v, sum);
    if (q->kind == HIST_ROWS && matches != returned) {
        lower_wrong_row(d, q, key, op, v,
                        matches ? "did not return a row of its version set that matches:"
                                : "returned a row that does not match in its version set:");
        return;
    }
    if (returned && !hist_value_eq(v, hist_op_value(&d->h->ops.data[d->row[key]]))) {
        lower_wrong_row(d, q, key, op, v,
                        "returned another version of a row than that of its version "
                        "set:");
        return;
    }
    if (lower_is_own(d, key))
        return;
    note_row(d, q, (struct lower_row){.class = class[0], .row = key, .matches = matches}, pos);
    /* An aggregate reads the items that it is computed from; of a row that came back, the value
     * says which version it was, unless there are several. */
    if (matches && (q->kind >= HIST_SUM || (returned && is_ambiguous(d, key, v))))
        note_row(d, q,
                 (struct lower_row){.class = class[1], .row = key, .matches = true, .item = true},
                 pos);
}

/* Note the versions of the set.  A version that no committed transaction left behind cannot be in
 * one. */
static void note_set(struct lowering *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    for (uint32_t i = q->set; i < q->set + q->set_count && !lower_stopped(d); i++) {
        uint32_t op = h->set_ops.data[i], key = h->ops.data[op].key, txn = d->op_txn[op];
        if (txn == q->txn) {
            if (op >= q->first_op || !lower_is_own(d, key) || d->own[key] != op)
                lower_wrong_set(
                    d, q, op, "its version set has a version of its own that it did not see then:");
            continue;
        }
        if (lower_is_own(d, key))
            lower_wrong_set(d, q, op, "its version set has a row that it had overwritten itself:");
        else if (!d->chains.pos[op])
            lower_wrong_set(d, q, op,
                            "its version set has a version that was not committed or not final:");
        else if (d->seen_at[key] == d->stamp)
            lower_wrong_set(d, q, op, "its version set has two versions of one row:");
        d->seen_at[key] = d->stamp;
        d->version[key] = d->chains.pos[op];
    }
}

void lower_with_set(struct lowering *d, const struct hist_predicate *q)
{
    struct pred_sum sum = {0};
    uint32_t class[] = {lower_predicate_class(d, q), lower_item_class(d)};
    if (!d->h->version_orders_complete) {
        lower_unknown(d, q, "a version set needs complete version orders");
        return;
    }
    d->plan.levels = !d->o->all_versions                 ? HIST_FOR_STRONG
                     : d->o->by_session && !d->o->direct ? HIST_FOR_CAUSAL
                                                         : HIST_FOR_ALL;
    note_set(d, q);
    match(d, q);
    struct lower_read read = {q, (uint32_t)d->rows.len, 0};
    for (uint32_t k = 0; k < d->h->keys.len && !lower_stopped(d); k++)
        if (!d->list_key[k])
            judge_row(d, q, class, k, &sum);
    if (!lower_stopped(d) && q->kind >= HIST_COUNT && !pred_agrees(q, &sum))
        lower_wrong_aggregate(d, q, &sum);
    read.end = (uint32_t)d->rows.len;
    vec_push(&d->reads, read);
}

/* A read of rows in versions that are not known, whose sources cannot be told from here. */
static bool reads_without_set(const struct history *h, uint32_t txn)
{
    for (uint32_t i = hist_first_predicate(h, txn);
         i < h->predicates.len && h->predicates.data[i].txn == txn; i++)
        if (!h->predicates.data[i].has_set && h->predicates.data[i].kind != HIST_RANGE)
            return true;
    return false;
}

void lower_end_txn(struct lowering *d)
{
    bool direct = d->o->direct && d->reads.len && !reads_without_set(d->h, d->reads.data[0].q->txn);
    bool nearest = d->o->by_session && (direct || !d->o->direct);
    if (direct && !lower_stopped(d))
        lower_direct(d);
    for (size_t i = 0; i < d->reads.len && !lower_stopped(d); i++) {
        const struct lower_read *r = &d->reads.data[i];
        match(d, r->q);
        if (nearest && !direct)
            settle_rows(d, r);
        if (nearest)
            plan_before(d, r);
        else if (direct)
            plan_writers(d, r);
        if (nearest && !direct)
            plan_after(d, r);
        plan_rows(d, r, !nearest && !direct);
        plan_reads(d, r);
    }
    vec_clear(&d->reads);
    vec_clear(&d->rows);
}

void lower_make_table(struct lowering *d)
{
    const struct history *h = d->h;
    vo_chains_build(&d->chains, h);
    size_t n = h->keys.len + d->chains.start[h->keys.len];
    d->table_key = mem_alloc(mem_mul(n + 1, sizeof *d->table_key));
    d->table_value = mem_alloc(mem_mul(n + 1, sizeof *d->table_value));
    d->match = mem_alloc(n + 1);
    for (uint32_t k = 0, i = 0; k < h->keys.len; k++)
        for (uint32_t pos = 0; pos <= lower_chain_len(d, k); pos++, i++) {
            d->table_key[i] = k;
            d->table_value[i] = chain_value(d, k, pos);
        }
    d->table =
        (struct pred_table){.p = &d->pred, .len = n, .key = d->table_key, .value = d->table_value};
}
