/* Re-checking the anomalies of single operations; see certify.h. */
#include "certify/violation/certify_claims.h"

static bool is_op(const struct hist_facts *f, const struct check_result *r, size_t i)
{
    return i < r->ops.len && r->ops.data[i] < f->h->ops.len;
}

/* An external read of a transaction that counts, without any possible source. */
static bool sourceless(struct hist_facts *f, uint32_t read)
{
    hist_facts_ops sources = {0};
    if (!hist_facts_external(f, read) || !hist_facts_counts(f, f->op_txn[read]))
        return false;
    hist_facts_sources(f, read, &sources);
    bool none = !sources.len;
    vec_free(&sources);
    return none;
}

static bool writes_value(const struct hist_facts *f, uint32_t write, uint32_t read)
{
    const struct hist_op *w = &f->h->ops.data[write], *r = &f->h->ops.data[read];
    if (w->key != r->key || (w->kind != HIST_WRITE && w->kind != HIST_APPEND))
        return false;
    if (r->kind == HIST_READ)
        return hist_value_eq(hist_op_value(w), hist_op_value(r));
    for (uint32_t i = 0; r->kind == HIST_LIST_READ && i < r->list.len; i++)
        if (f->h->lists.data[r->list.start + i] == w->value)
            return true;
    return false;
}

/* The list shows the value more often than others who may count appended it. */
static bool surplus(struct hist_facts *f, uint32_t read, int64_t value)
{
    return hist_facts_shown(f, read, value) >
           hist_facts_appended(f, f->h->ops.data[read].key, value, f->op_txn[read]);
}

static bool aborted_read(struct hist_facts *f, uint32_t write, uint32_t read)
{
    if (!writes_value(f, write, read) || hist_facts_possible(f, f->op_txn[write]) ||
        !hist_facts_external(f, read) || !hist_facts_counts(f, f->op_txn[read]))
        return false;
    bool list = f->h->ops.data[read].kind == HIST_LIST_READ;
    return list ? surplus(f, read, f->h->ops.data[write].value) : sourceless(f, read);
}

/* An element of the list that nobody who could count appended. */
static bool thin_air(struct hist_facts *f, uint32_t read)
{
    const struct history *h = f->h;
    const struct hist_op *r = &h->ops.data[read];
    if (r->kind == HIST_READ)
        return sourceless(f, read);
    if (!hist_facts_external(f, read) || !hist_facts_counts(f, f->op_txn[read]))
        return false;
    for (uint32_t i = 0; i < hist_facts_list_length(f, read); i++) {
        bool found = false;
        for (uint32_t k = f->key_start[r->key]; k < f->key_start[r->key + 1] && !found; k++) {
            const struct hist_op *a = &h->ops.data[f->key_ops[k]];
            found = hist_is_append(a) && a->value == h->lists.data[r->list.start + i] &&
                    hist_facts_possible(f, f->op_txn[f->key_ops[k]]);
        }
        if (!found)
            return true;
    }
    return false;
}

/* The list shows an append without the next one of the same transaction right behind it; or, for G0
 * and torn lists, without the one before it right before it. */
static bool torn_list(struct hist_facts *f, uint32_t write, uint32_t read, bool after)
{
    const struct history *h = f->h;
    const struct hist_op *r = &h->ops.data[read], *w = &h->ops.data[write];
    const struct hist_txn *t = &h->txns.data[f->op_txn[write]];
    uint32_t len = hist_facts_list_length(f, read), other = HIST_NONE, at = len;
    if (!hist_facts_external(f, read) || !hist_facts_counts(f, f->op_txn[read]) ||
        hist_facts_appended(f, w->key, w->value, HIST_NONE) != 1)
        return false;
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++) {
        const struct hist_op *a = &h->ops.data[i];
        if (a->key != w->key || !hist_is_append(a))
            continue;
        if (after ? i > write && other == HIST_NONE : i < write)
            other = i;
    }
    for (uint32_t i = 0; i < len; i++)
        if (h->lists.data[r->list.start + i] == w->value)
            at = i;
    if (other == HIST_NONE || at == len)
        return false;
    if (after ? at + 1 == len : at == 0)
        return true;
    return h->lists.data[r->list.start + (after ? at + 1 : at - 1)] != h->ops.data[other].value;
}

static bool intermediate_read(struct hist_facts *f, uint32_t write, uint32_t read)
{
    if (!writes_value(f, write, read) || hist_facts_final(f, write))
        return false;
    if (f->h->ops.data[read].kind == HIST_LIST_READ)
        return torn_list(f, write, read, true);
    return sourceless(f, read);
}

static bool future_read(struct hist_facts *f, uint32_t read, uint32_t write)
{
    return writes_value(f, write, read) && f->op_txn[read] == f->op_txn[write] && read < write &&
           sourceless(f, read);
}

static bool incompatible(struct hist_facts *f, uint32_t a, uint32_t b)
{
    const struct history *h = f->h;
    const struct hist_op *x = &h->ops.data[a], *y = &h->ops.data[b];
    if (x->kind != HIST_LIST_READ || y->kind != HIST_LIST_READ || x->key != y->key ||
        !hist_facts_external(f, a) || !hist_facts_external(f, b) ||
        !hist_facts_counts(f, f->op_txn[a]) || !hist_facts_counts(f, f->op_txn[b]))
        return false;
    uint32_t m = hist_facts_list_length(f, a), n = hist_facts_list_length(f, b);
    return memcmp(h->lists.data + x->list.start, h->lists.data + y->list.start,
                  (m < n ? m : n) * sizeof *h->lists.data) != 0;
}

static bool repeated(struct hist_facts *f, uint32_t read)
{
    const struct history *h = f->h;
    const struct hist_op *r = &h->ops.data[read];
    if (r->kind != HIST_LIST_READ || !hist_facts_external(f, read) ||
        !hist_facts_counts(f, f->op_txn[read]))
        return false;
    for (uint32_t i = 0; i < hist_facts_list_length(f, read); i++)
        if (surplus(f, read, h->lists.data[r->list.start + i]))
            return true;
    return false;
}

static bool contradiction(struct hist_facts *f, uint32_t before, uint32_t read)
{
    return f->op_txn[before] == f->op_txn[read] && hist_facts_counts(f, f->op_txn[read]) &&
           hist_facts_contradiction(f, read) != HIST_NONE;
}

static bool duplicate(const struct hist_facts *f, const struct certify_question *o, uint32_t a,
                      uint32_t b)
{
    const struct hist_op *x = &f->h->ops.data[a], *y = &f->h->ops.data[b];
    bool writes = x->kind == HIST_WRITE || x->kind == HIST_APPEND;
    return o->unique_values && a != b && writes && x->kind == y->kind && x->key == y->key &&
           !((x->flags | y->flags) & HIST_OP_FAILED) &&
           hist_value_eq(hist_op_value(x), hist_op_value(y));
}

static bool stands(struct hist_facts *f, const struct certify_question *o,
                   const struct check_result *r, struct proof_reader *proofs)
{
    if (!is_op(f, r, 0) || (r->ops.len > 1 && !is_op(f, r, 1)))
        return false;
    uint32_t a = r->ops.data[0], b = r->ops.len > 1 ? r->ops.data[1] : a;
    switch (r->anomaly) {
    case ANOMALY_G1A:
    case ANOMALY_IMPOSSIBLE_READ:
        return aborted_read(f, a, b);
    case ANOMALY_G1B:
        return intermediate_read(f, a, b);
    case ANOMALY_THIN_AIR:
        return thin_air(f, a);
    case ANOMALY_FUTURE_READ:
        return future_read(f, a, b);
    case ANOMALY_INTERNAL:
    case ANOMALY_NON_REPEATABLE:
        return contradiction(f, a, b);
    case ANOMALY_DUPLICATE_WRITE:
        return duplicate(f, o, a, b);
    case ANOMALY_INCOMPATIBLE_ORDER:
        return incompatible(f, a, b);
    case ANOMALY_DUPLICATE_ELEMENT:
        return repeated(f, a);
    case ANOMALY_TORN_LIST:
        return r->ops.len > 1 ? torn_list(f, a, b, false)
                              : cover_impossible(f, o->level, a, proofs);
    case ANOMALY_G0:
        return torn_list(f, a, b, false);
    default:
        return false;
    }
}

const char *certify_anomaly(struct hist_facts *f, const struct certify_question *o,
                            const struct check_result *r, struct proof_reader *proofs,
                            struct arena *messages)
{
    if (stands(f, o, r, proofs))
        return NULL;
    return arena_printf(messages, "the anomaly (%s) is not in the history",
                        anomaly_name(r->anomaly));
}
