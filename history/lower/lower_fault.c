/* The messages for results that contradict themselves and for histories that cannot be decided; see
 * lower.h. */
#include "history/lower/lower_internal.h"

static void describe_read(const struct lowering *d, const struct hist_predicate *q,
                          struct strbuf *b)
{
    hist_txn_text(d->h, q->txn, b);
    sb_puts(b, " read ");
    pred_read_text(d->h, q, b);
}

static void describe_version(const struct lowering *d, uint32_t key, uint32_t op,
                             struct hist_value v, struct strbuf *b)
{
    hist_key_text(d->h, key, b);
    sb_puts(b, " = ");
    hist_value_to_text(d->h, v, b);
    if (op == HIST_NONE) {
        sb_puts(b, hist_value_eq(v, d->initial[key]) ? " (initial)" : "");
        return;
    }
    sb_puts(b, " (by ");
    hist_txn_text(d->h, hist_op_txn(d->h, op), b);
    sb_putc(b, ')');
}

static void violation(struct lowering *d, const struct hist_predicate *q, enum lower_fault fault,
                      struct strbuf *b)
{
    d->out->fault = fault;
    d->out->predicate = (uint32_t)(q - d->h->predicates.data);
    d->out->violation = arena_strdup(d->messages, sb_str(b));
    d->out->txn = q->txn;
    sb_free(b);
}

void lower_wrong_row(struct lowering *d, const struct hist_predicate *q, uint32_t key, uint32_t op,
                     struct hist_value v, const char *what)
{
    struct strbuf b = {0};
    if (d->h->txns.data[q->txn].status == HIST_UNKNOWN) {
        d->plan.absent[q->txn] = 1; /* it has not happened, that is all */
        return;
    }
    describe_read(d, q, &b);
    sb_printf(&b, ", and %s ", what);
    describe_version(d, key, op, v, &b);
    d->out->key = key;
    violation(d, q, LOWER_ROW, &b);
}

void lower_wrong_set(struct lowering *d, const struct hist_predicate *q, uint32_t op,
                     const char *what)
{
    const struct hist_op *o = &d->h->ops.data[op];
    lower_wrong_row(d, q, o->key, op, hist_op_value(o), what);
    d->out->fault = LOWER_SET;
    d->out->op = op;
}

static void describe_result(const struct lowering *d, const struct hist_predicate *q,
                            struct strbuf *b)
{
    hist_txn_text(d->h, q->txn, b);
    sb_puts(b, " read ");
    pred_result_text(d->h, q, b);
}

void lower_impossible_aggregate(struct lowering *d, const struct hist_predicate *q)
{
    struct strbuf b = {0};
    describe_result(d, q, &b);
    sb_puts(&b, ", but whichever versions of the rows are taken, they do not give that");
    violation(d, q, LOWER_AGGREGATE, &b);
}

void lower_wrong_aggregate(struct lowering *d, const struct hist_predicate *q,
                           const struct pred_sum *s)
{
    struct strbuf b = {0};
    describe_result(d, q, &b);
    sb_puts(&b, ", but over its version set it is ");
    pred_sum_text(q, s, &b);
    violation(d, q, LOWER_AGGREGATE, &b);
}

void lower_unknown(struct lowering *d, const struct hist_predicate *q, const char *why)
{
    struct strbuf b = {0};
    describe_read(d, q, &b);
    d->out->unknown = arena_printf(d->messages, "%s: %s", sb_str(&b), why);
    sb_free(&b);
}
