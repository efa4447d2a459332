/* The last step of the builder: checks that need the whole history; see history.h. */
#include <assert.h>

#include "base/strbuf.h"
#include "history/hist_rows.h"
#include "history/history.h"
#include "history/predicate.h"

/* The first mistake counts. */
static void fail(struct history *h, uint32_t txn, const char *why)
{
    if (h->error)
        return;
    h->error = why;
    h->error_txn = txn;
}

static void index_sessions(struct history *h)
{
    size_t n = h->txns.len;
    uint32_t *start = mem_calloc(h->session_count + 2, sizeof *start);
    uint32_t *txns = mem_alloc(mem_mul(n + 1, sizeof *txns));
    for (size_t i = 0; i < n; i++)
        start[h->txns.data[i].session + 2]++;
    for (uint32_t s = 0; s < h->session_count; s++)
        start[s + 2] += start[s + 1];
    for (size_t i = 0; i < n; i++) {
        struct hist_txn *t = &h->txns.data[i];
        txns[start[t->session + 1]++] = (uint32_t)i;
    }
    for (uint32_t s = 0; s < h->session_count; s++)
        for (uint32_t i = start[s]; i < start[s + 1]; i++)
            h->txns.data[txns[i]].index = i - start[s];
    h->index.session_start = start;
    h->index.session_txns = txns;
}

static const char *text_of_key(struct history *h, const char *fmt, uint32_t key)
{
    struct strbuf b = {0};
    hist_key_text(h, key, &b);
    const char *text = arena_printf(&h->arena, "%s: key %s", fmt, sb_str(&b));
    sb_free(&b);
    return text;
}

/* A key is a register or a list, never both. */
static void check_key_kinds(struct history *h)
{
    enum { REGISTER = 1, LIST = 2 };
    uint8_t *kind = mem_calloc(h->keys.len + 1, 1);
    for (size_t i = 0; i < h->ops.len; i++) {
        const struct hist_op *op = &h->ops.data[i];
        kind[op->key] |= op->kind == HIST_READ || op->kind == HIST_WRITE ? REGISTER : LIST;
        if (kind[op->key] == (REGISTER | LIST)) {
            fail(h, hist_op_txn(h, (uint32_t)i),
                 text_of_key(h, "used both as a register and as a list", op->key));
            break;
        }
    }
    mem_free(kind);
}

/* Writers say every initial value that the history has, so there is one for each key. */
static void check_initials(struct history *h)
{
    if (h->initials.len < 2)
        return;
    struct hist_value *last = hist_initial_values(h);
    for (size_t i = 0; i < h->initials.len && !h->error; i++) {
        const struct hist_initial *x = &h->initials.data[i];
        if (!hist_value_eq(x->value, last[x->key]))
            fail(h, HIST_NONE, text_of_key(h, "two initial values", x->key));
    }
    mem_free(last);
}

/* Sums, minima and maxima are of integers.  Leaving the other numbers out would give a wrong one.
 */
static void check_aggregates(struct history *h)
{
    struct pred p;
    bool any = false;
    for (size_t i = 0; i < h->predicates.len; i++)
        any |= h->predicates.data[i].field != HIST_NONE;
    if (!any)
        return;
    pred_init(&p, h);
    uint32_t q = pred_inexact_aggregate(&p);
    if (q != HIST_NONE)
        fail(
            h, h->predicates.data[q].txn,
            arena_printf(&h->arena,
                         "sum, min and max are of integers, but the field \"%s\" has other numbers",
                         intern_name(&h->texts, h->predicates.data[q].field)));
    pred_free(&p);
}

static void check_version_orders(struct history *h)
{
    for (size_t i = 0; i < h->version_orders.len; i++) {
        const struct hist_version_order *o = &h->version_orders.data[i];
        for (uint32_t j = 0; j < o->len; j++) {
            uint32_t op = h->version_ops.data[o->start + j];
            if (op >= h->ops.len || h->ops.data[op].key != o->key ||
                (h->ops.data[op].kind != HIST_WRITE && h->ops.data[op].kind != HIST_APPEND))
                fail(h, HIST_NONE,
                     text_of_key(h, "the version order names something that is not a write",
                                 o->key));
        }
    }
}

static bool in_order(int64_t a, int64_t b)
{
    return a == HIST_NO_TIME || b == HIST_NO_TIME || a <= b;
}

/* What is wrong with the times of one transaction, or NULL.  A client may ask for the commit before
 * the begin was answered (it sends both at once), but not before it asked for the begin. */
static const char *wrong_times(const struct hist_times *t)
{
    if (!in_order(t->begin_asked, t->commit_answered))
        return "ends before it begins";
    if (!in_order(t->begin_asked, t->begin_answered))
        return "has a begin that was answered before it was asked for";
    if (!in_order(t->commit_asked, t->commit_answered))
        return "has a commit that was answered before it was asked for";
    if (!in_order(t->begin_asked, t->commit_asked))
        return "has a commit that was asked for before its begin";
    if (!in_order(t->begin_answered, t->commit_answered))
        return "has a commit that was answered before its begin";
    return NULL;
}

static void check_times(struct history *h)
{
    for (size_t i = 0; h->times && i < h->txns.len; i++) {
        const char *wrong = wrong_times(&h->times[i]);
        if (!wrong)
            continue;
        struct strbuf t = {0};
        hist_txn_text(h, (uint32_t)i, &t);
        fail(h, (uint32_t)i, arena_printf(&h->arena, "transaction %s %s", sb_str(&t), wrong));
        sb_free(&t);
    }
}

/* Lists that moved while they grew: every read of a key whose reads all agree lies in one place. */
static void gather_lists(struct history *h)
{
    if (!h->key_lists.len)
        return;
    vec_resize(&h->key_lists, h->keys.len);
    for (size_t i = 0; i < h->ops.len; i++) {
        struct hist_op *op = &h->ops.data[i];
        if (op->kind == HIST_LIST_READ && !h->key_lists.data[op->key].forked)
            op->list.start = h->key_lists.data[op->key].start;
    }
}

const char *hist_finish(struct history *h)
{
    assert(!h->finished);
    if (h->current != HIST_NONE)
        fail(h, h->current, "the last transaction has no end");
    if (h->error)
        return h->error;
    if (h->predicates.len && (h->error = hist_expand_predicates(h)))
        return h->error;
    index_sessions(h);
    hist_number_sessions(h);
    check_key_kinds(h);
    check_initials(h);
    check_aggregates(h);
    check_version_orders(h);
    check_times(h);
    gather_lists(h);
    vec_free(&h->open_rows);
    h->finished = true;
    return h->error;
}
