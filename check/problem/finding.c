/* Anomalies that need no order of transactions; see finding.h. */
#include "check/problem/finding.h"

#include <stdarg.h>

#include "base/strbuf.h"
#include "check/problem/match_internal.h"

void finding_report(struct check_result *r, const struct history *h, enum anomaly a, uint32_t op1,
                    uint32_t op2)
{
    r->verdict = CHECK_VIOLATION;
    r->anomaly = a;
    r->cycle = HIST_NONE;
    vec_clear(&r->txns);
    vec_clear(&r->ops);
    uint32_t ops[] = {op1, op2};
    for (int i = 0; i < 2; i++) {
        if (ops[i] == HIST_NONE)
            continue;
        uint32_t t = hist_op_txn(h, ops[i]);
        vec_push(&r->ops, ops[i]);
        if (!r->txns.len || r->txns.data[0] != t)
            vec_push(&r->txns, t);
    }
}

/* Does the write explain the value of the read? */
static bool explains(const struct history *h, uint32_t write, uint32_t read)
{
    const struct hist_op *w = &h->ops.data[write], *r = &h->ops.data[read];
    if (w->kind != HIST_WRITE || w->key != r->key || w->flags & HIST_OP_FAILED ||
        r->flags & HIST_OP_INITIAL)
        return false;
    if (h->write_ids && h->write_ids[read] && h->write_ids[write] != h->write_ids[read])
        return false;
    return hist_value_eq(hist_op_value(w), hist_op_value(r));
}

/* One of unknown outcome is out only because it contradicts itself under the level. */
static enum anomaly name_of_aborted(const struct history *h, uint32_t write)
{
    bool aborted = h->txns.data[hist_op_txn(h, write)].status == HIST_ABORTED;
    return aborted ? ANOMALY_G1A : ANOMALY_IMPOSSIBLE_READ;
}

/* Among the writes that would explain the read, the kindest explanation: an own later write, then
 * an intermediate write, then an aborted transaction's. */
void finding_unmatched(struct check_result *r, const struct history *h, const uint8_t *status,
                       const uint8_t *cls, uint32_t op)
{
    uint32_t reader = hist_op_txn(h, op), aborted = HIST_NONE, intermediate = HIST_NONE;
    for (uint32_t t = 0; t < h->txns.len; t++) {
        const struct hist_txn *ht = &h->txns.data[t];
        for (uint32_t i = ht->first_op; i < ht->first_op + ht->op_count; i++) {
            if (!explains(h, i, op))
                continue;
            if (t == reader) {
                finding_report(r, h, ANOMALY_FUTURE_READ, op, i);
                return;
            }
            /* One of unknown outcome may be out only because nobody saw its final writes. */
            bool out = status[t] == MATCH_OUT;
            if (cls[i] == MATCH_INTERMEDIATE && !(out && ht->status == HIST_ABORTED))
                intermediate = i;
            else if (out)
                aborted = i;
        }
    }
    if (intermediate != HIST_NONE)
        finding_report(r, h, ANOMALY_G1B, intermediate, op);
    else if (aborted != HIST_NONE)
        finding_report(r, h, name_of_aborted(h, aborted), aborted, op);
    else
        finding_report(r, h, ANOMALY_THIN_AIR, op, HIST_NONE);
}

/* The first append of the element, by a transaction that is out (status NULL: that aborted), or
 * HIST_NONE. */
static uint32_t lost_append(const struct history *h, const uint8_t *status, uint32_t key,
                            int64_t value)
{
    for (uint32_t t = 0; t < h->txns.len; t++) {
        const struct hist_txn *ht = &h->txns.data[t];
        if (status ? status[t] != MATCH_OUT : ht->status != HIST_ABORTED)
            continue;
        for (uint32_t i = ht->first_op; i < ht->first_op + ht->op_count; i++) {
            const struct hist_op *a = &h->ops.data[i];
            if (a->kind == HIST_APPEND && a->key == key && a->value == value &&
                !(a->flags & HIST_OP_FAILED))
                return i;
        }
    }
    return HIST_NONE;
}

void finding_element(struct check_result *r, const struct history *h, const uint8_t *status,
                     uint32_t op, int64_t value)
{
    uint32_t lost = lost_append(h, status, h->ops.data[op].key, value);
    if (lost != HIST_NONE)
        finding_report(r, h, name_of_aborted(h, lost), lost, op);
    else
        finding_report(r, h, ANOMALY_THIN_AIR, op, HIST_NONE);
}

void finding_repeated(struct check_result *r, const struct history *h, uint32_t op, int64_t value)
{
    uint32_t lost = lost_append(h, NULL, h->ops.data[op].key, value);
    if (lost != HIST_NONE)
        finding_report(r, h, ANOMALY_G1A, lost, op);
    else
        finding_report(r, h, ANOMALY_DUPLICATE_ELEMENT, op, HIST_NONE);
}

void finding_unknown(struct check_result *r, const char *fmt, ...)
{
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    r->verdict = CHECK_UNKNOWN;
    r->reason = arena_strdup(&r->arena, sb_str(&b));
    sb_free(&b);
}
