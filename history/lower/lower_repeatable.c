/* Predicate reads without version sets under repeatable read (PL-2.99); see lower.h.
 *
 * Some version set must give the result, and only the transactions that changed the matches up to
 * its versions must come before the reader: a row may be seen in a version that was overwritten
 * long ago.  So a row that does not match at first can always be seen as not matching.  A row that
 * does match at first can be seen as not matching if and only if the writer of a version that does
 * not match comes before the reader: then the first such version can be in the version set, and no
 * version before it changes the matches.  (Versions that the reader itself writes later, and
 * versions that overwrite these, do not count.)
 *
 * Hence the new key of a row says whether the row has *turned*: it is written, always with the same
 * value, by every transaction whose version matches when the initial one does not, or the other way
 * round.  A transaction that reads that value comes after one of these writers, whichever it is,
 * and before none.
 *
 * For a count, a row counts as it was at first or, if it has turned, as the opposite.  Sums, minima
 * and maxima read the rows that contribute to them as items, in their current versions; every other
 * row did not match at first, or has turned. */
#include "history/lower/lower_internal.h"

/* --- rows that have turned ------------------------------------------------------------------- */

/* The last word of a transaction that may have happened? */
static bool is_final(const struct lowering *d, uint32_t op)
{
    uint32_t txn = d->op_txn[op];
    return d->h->txns.data[txn].status != HIST_ABORTED && hist_is_final(d->h, txn, op);
}

/* All who turn it, though some are known to follow others: where less is asked than a prefix of the
 * versions, any of them may be the one that was seen, and what a violation says of other levels
 * stays true. */
static uint32_t turned_key(struct lowering *d, const struct hist_predicate *q, uint32_t class,
                           uint32_t row)
{
    bool fresh, initial = pred_matches(&d->pred, q, row, d->initial[row]);
    uint32_t key = lower_row_key(d, class, row, hist_int(initial), &fresh);
    for (uint32_t i = d->write_start[row]; fresh && i < d->write_start[row + 1]; i++) {
        uint32_t op = d->writes[i];
        if (pred_matches(&d->pred, q, row, hist_op_value(&d->h->ops.data[op])) == initial ||
            !is_final(d, op))
            continue;
        if (d->chains.pos && d->chains.pos[op])
            vec_push(&d->plan.versions,
                     ((struct lower_version){key, d->chains.pos[op], (uint32_t)d->plan.ops.len}));
        lower_plan_op(
            d, (struct lower_op){
                   .txn = d->op_txn[op], .at = op, .key = key, .write = true, .value = !initial});
    }
    return key;
}

/* --- rows and ranges ------------------------------------------------------------------------- */

/* The row was not there for the read. */
static void left_out(struct lowering *d, const struct hist_predicate *q, uint32_t class,
                     uint32_t row)
{
    if (pred_matches(&d->pred, q, row, d->initial[row]))
        lower_plan_op(d, (struct lower_op){.txn = q->txn,
                                           .at = q->first_op,
                                           .key = turned_key(d, q, class, row),
                                           .predicate = (uint32_t)(q - d->h->predicates.data),
                                           .value = 0});
}

void lower_repeatable_rows(struct lowering *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    uint32_t class = lower_predicate_class(d, q);
    for (uint32_t k = 0; k < h->keys.len && !lower_stopped(d); k++) {
        if (d->list_key[k] || d->row_at[k] == d->stamp)
            continue;
        if (!lower_is_own(d, k)) {
            left_out(d, q, class, k);
            continue;
        }
        struct hist_value v = hist_op_value(&h->ops.data[d->own[k]]);
        if (pred_matches(&d->pred, q, k, v))
            lower_wrong_row(d, q, k, d->own[k], v, "did not return a row of its own that matches:");
    }
}

/* The rows of a range that were absent are predicate reads, not items, but for what the transaction
 * had deleted itself. */
void lower_repeatable_range(struct lowering *d, const struct hist_predicate *q)
{
    const struct history *h = d->h;
    uint32_t class = lower_predicate_class(d, q);
    for (uint32_t i = q->first_op; i < q->first_op + q->rows && !lower_stopped(d); i++) {
        const struct hist_op *op = &h->ops.data[i];
        if (!(op->flags & HIST_OP_NULL) || lower_is_own(d, op->key))
            continue;
        left_out(d, q, class, op->key);
        d->plan.drop[i] = 1;
    }
}

/* --- aggregates ------------------------------------------------------------------------------ */

/* Does anybody else ever write a version that matches as the initial one does not?  It may not be
 * final, or its transaction aborted; then the new key has nobody to read from. */
static bool may_turn(const struct lowering *d, const struct hist_predicate *q, uint32_t row)
{
    const uint8_t *match = d->all_match + d->write_start[row] + row;
    for (uint32_t i = d->write_start[row]; i < d->write_start[row + 1]; i++)
        if (match[1 + i - d->write_start[row]] != match[0] && d->op_txn[d->writes[i]] != q->txn)
            return true;
    return false;
}

/* A row that may contribute something: whether it has turned, or (SUM, MIN, MAX) itself and, if
 * nothing else lets it be left out, whether it has turned. */
void lower_repeatable_item(struct lowering *d, const struct hist_predicate *q, uint32_t class,
                           uint32_t row)
{
    bool first = d->all_match[d->write_start[row] + row];
    if (q->kind != HIST_COUNT)
        vec_push(&d->plan.aggregate_rows, row);
    if (q->kind == HIST_COUNT || (first && may_turn(d, q, row)))
        vec_push(&d->plan.aggregate_rows, LOWER_NEW | turned_key(d, q, class, row));
}
