/* RC and RA: which rows of a transaction's predicate reads matter to what it may see; see lower.h.
 *
 * Under these levels a transaction sees the transactions that it read from (and, for RA, its
 * session's earlier ones), and visibility is not transitive.  So there is a contradiction only if
 * one of them wrote a version that is later than what some read of the transaction saw: that read
 * bars its writer from being seen.  With complete version orders this can be decided here, row by
 * row.  A row whose later versions were all written by transactions that cannot be seen forbids
 * nothing, and a row whose writer no read bars adds no contradiction.  All that such rows require
 * is that their writers come earlier in the arbitration, and the last writer of each session is
 * enough for that if sessions count.
 *
 * Where one of several versions of a row was seen, there is no choice either.  The first version
 * whose writer no read bars may be assumed: the writer of a later one comes later in the
 * arbitration.
 *
 * Which write an item read saw may be a choice; then all its candidates count. */
#include "history/lower/lower_internal.h"

/* May `txn` be seen by the transaction `by`? */
static bool may_be_seen(const struct lowering *d, uint32_t txn, uint32_t by)
{
    const struct hist_txn *a = &d->h->txns.data[txn], *b = &d->h->txns.data[by];
    return d->seen_by[txn] == d->direct_stamp || (a->session == b->session && a->index < b->index);
}

/* An item: whoever may have written what was read may be seen; whoever wrote a later version than
 * the first of these must not be, perhaps. */
static void note_item(struct lowering *d, const struct hist_op *read)
{
    const struct history *h = d->h;
    uint32_t key = read->key, len = lower_chain_len(d, key);
    bool found =
        hist_value_eq(hist_op_value(read), d->initial[key]) || read->flags & HIST_OP_INITIAL;
    for (uint32_t pos = 1; pos <= len; pos++) {
        uint32_t op = lower_chain_op(d, key, pos);
        if (found)
            d->barred_by[d->op_txn[op]] = d->wanted_by[d->op_txn[op]] = d->direct_stamp;
        if (!hist_value_eq(hist_op_value(&h->ops.data[op]), hist_op_value(read)))
            continue;
        d->seen_by[d->op_txn[op]] = d->direct_stamp;
        found = true;
    }
}

static void note_items(struct lowering *d, const struct hist_txn *t)
{
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *op = &d->h->ops.data[i];
        if (op->kind == HIST_READ && !(op->flags & HIST_OP_FAILED))
            note_item(d, op);
        else if (op->kind >= HIST_APPEND && !(op->flags & HIST_OP_FAILED))
            for (uint32_t pos = 1; pos <= lower_chain_len(d, op->key); pos++) {
                uint32_t txn = d->op_txn[lower_chain_op(d, op->key, pos)];
                d->seen_by[txn] = d->barred_by[txn] = d->wanted_by[txn] = d->direct_stamp;
            }
    }
}

/* Whom the rows show for certain, and whom they bar. */
static void note_rows(struct lowering *d)
{
    for (size_t i = 0; i < d->rows.len; i++) {
        const struct lower_row *r = &d->rows.data[i];
        if (r->first && !r->open)
            d->seen_by[lower_writer(d, r, r->first)] = d->direct_stamp;
        for (uint32_t pos = r->next; pos && pos <= lower_chain_len(d, r->row); pos++)
            d->barred_by[lower_writer(d, r, pos)] = d->direct_stamp;
    }
}

/* Open rows.  Bars of other reads of the transaction are bars for RA and not for RC, and those of
 * items may not be any: where these are in the way, it stays a choice, and all writers may be seen.
 */
static void settle_rows(struct lowering *d, const struct lower_read *read)
{
    uint32_t here = ++d->here_stamp;
    for (uint32_t i = read->start; i < read->end; i++) {
        const struct lower_row *r = &d->rows.data[i];
        for (uint32_t pos = r->next; pos && pos <= lower_chain_len(d, r->row); pos++)
            d->barred_here[lower_writer(d, r, pos)] = here;
    }
    for (uint32_t i = read->start; i < read->end; i++) {
        struct lower_row *r = &d->rows.data[i];
        if (!r->open)
            continue;
        uint32_t pos = r->first;
        while (pos <= r->end && (lower_writer(d, r, pos) == read->q->txn ||
                                 d->barred_here[lower_writer(d, r, pos)] == here))
            pos++;
        if (pos <= r->end && d->barred_by[lower_writer(d, r, pos)] != d->direct_stamp) {
            r->settled = pos;
            continue;
        }
        r->kept = true;
        for (pos = r->first; pos <= r->end; pos++)
            d->seen_by[lower_writer(d, r, pos)] = d->direct_stamp;
    }
}

/* Rows with a later version by somebody who may be seen; who that is must be seen, too. */
static void keep_forbidding(struct lowering *d, const struct lower_read *read)
{
    for (uint32_t i = read->start; i < read->end; i++) {
        struct lower_row *r = &d->rows.data[i];
        for (uint32_t pos = r->next; pos && pos <= lower_chain_len(d, r->row); pos++) {
            uint32_t w = lower_writer(d, r, pos);
            if (w == read->q->txn || !may_be_seen(d, w, read->q->txn))
                continue;
            r->kept = true;
            d->wanted_by[w] = d->direct_stamp;
        }
    }
}

void lower_direct(struct lowering *d)
{
    uint32_t txn = d->reads.data[0].q->txn;
    if (!d->seen_by) {
        d->seen_by = mem_calloc(d->h->txns.len + 1, sizeof *d->seen_by);
        d->barred_by = mem_calloc(d->h->txns.len + 1, sizeof *d->barred_by);
        d->barred_here = mem_calloc(d->h->txns.len + 1, sizeof *d->barred_here);
        d->wanted_by = mem_calloc(d->h->txns.len + 1, sizeof *d->wanted_by);
        d->noted_by = mem_calloc(d->h->txns.len + 1, sizeof *d->noted_by);
    }
    d->direct_stamp++;
    note_items(d, &d->h->txns.data[txn]);
    note_rows(d);
    for (size_t i = 0; i < d->reads.len; i++)
        settle_rows(d, &d->reads.data[i]);
    for (size_t i = 0; i < d->reads.len; i++)
        keep_forbidding(d, &d->reads.data[i]);
    for (size_t i = 0; i < d->rows.len; i++) {
        struct lower_row *r = &d->rows.data[i];
        if (r->first && !r->open && d->wanted_by[lower_writer(d, r, r->first)] == d->direct_stamp)
            r->kept = true;
    }
}
