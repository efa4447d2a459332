/* Which levels a violation rules out.
 *
 * A violation of one level is a proof: cycles, each impossible under the level, and cases whose
 * hypotheses are impossible because of their cycles.  The hypotheses (one version of a row is older
 * than another; a read saw this write or that) mean the same under every model.  So the proof
 * carries over to every model under which each of its cycles is impossible as well
 * (ruled_out.c).  Where the real-time order is used, only levels that have such an
 * order are ruled out, and no model by itself; where predicate reads are, not PL-2.99. */
#include "certify/ruled_out.h"
#include "certify/history_facts.h"
#include "models/lattice.h"

bool ruled_out_own_level(const struct history *h, const struct check_result *r)
{
    return !r->cycles.len || ruled_out_by_all(h, r) >> r->level.model & 1;
}

static bool has_write(const struct history *h, const struct check_result *r)
{
    for (size_t i = 0; i < r->ops.len; i++)
        if (h->ops.data[r->ops.data[i]].kind == HIST_WRITE ||
            h->ops.data[r->ops.data[i]].kind == HIST_APPEND)
            return true;
    return false;
}

/* Anomalies whose very definition rules out a model. */
static uint32_t by_name(const struct history *h, const struct check_result *r)
{
    switch (r->anomaly) {
    case ANOMALY_G1A:
    case ANOMALY_G1B:
    case ANOMALY_THIN_AIR:
    case ANOMALY_FUTURE_READ:
    case ANOMALY_INCOMPATIBLE_ORDER: /* a list has one order of versions, whoever sees them */
    case ANOMALY_DUPLICATE_ELEMENT:
    case ANOMALY_DUPLICATE_WRITE: /* a rule of the user's, for every level */
        return model_and_above(MODEL_EC);
    case ANOMALY_G0: /* in one list */
    case ANOMALY_TORN_LIST:
        return r->ops.len > 1 ? model_and_above(MODEL_EC) : 0;
    case ANOMALY_INTERNAL: /* ec, rc and rcs may read a row twice and get two values */
        return has_write(h, r) ? model_and_above(MODEL_EC) : model_and_above(MODEL_RA);
    case ANOMALY_NON_REPEATABLE:
        return model_and_above(MODEL_RA);
    case ANOMALY_RESULT_MISMATCH:
        return r->ops.len ? 0 : model_and_above(MODEL_EC);
    default:
        return 0;
    }
}

/* A transaction of unknown outcome that contradicts itself did not happen; but what contradicts
 * itself under one snapshot need not do so where each read has its own. */
static uint32_t not_transferable(const struct history *h, const struct check_result *r)
{
    static const uint32_t several = 1u << MODEL_EC | 1u << MODEL_RC | 1u << MODEL_RCS;
    if (model_get(r->level.model)->snapshot != SNAPSHOT_TRANSACTION)
        return 0;
    for (size_t i = 0; i < h->txns.len; i++)
        if (h->txns.data[i].status == HIST_UNKNOWN)
            return several;
    for (size_t i = 0; i < h->predicates.len; i++)
        if (h->predicates.data[i].any) /* a row may stand for several reads of it */
            return several;
    return 0;
}

static bool rests_on_predicates(const struct history *h, const struct check_result *r)
{
    for (size_t i = 0; i < r->edges.len; i++)
        if (r->edges.data[i].key != HIST_NONE &&
            r->edges.data[i].key >= h->keys.len - h->lowered.keys)
            return true;
    return false;
}

/* Rows as predicates see them may be right for some levels only. */
static uint32_t not_by_predicates(const struct history *h)
{
    static const uint32_t weak = 1u << MODEL_EC | 1u << MODEL_RC | 1u << MODEL_RA | 1u << MODEL_CC;
    return h->lowered.view == HIST_FOR_STRONG   ? weak
           : h->lowered.view == HIST_FOR_CAUSAL ? ~model_and_above(MODEL_CC)
                                                : 0;
}

/* An order of versions may need no argument because one session wrote both. */
static bool one_session(const struct history *h, const struct check_edge *e)
{
    uint32_t older = e->kind == CHECK_RW ? e->via : e->from_op;
    if ((e->kind != CHECK_WW && e->kind != CHECK_RW) || e->because != HIST_NONE ||
        older == HIST_NONE)
        return false;
    return h->txns.data[hist_op_txn(h, older)].session == h->txns.data[e->to].session;
}

/* … unless it needs none anyway. */
static bool rests_on_sessions(const struct history *h, const struct check_result *r)
{
    struct hist_facts f = {0};
    bool rests = false;
    for (size_t i = 0; i < r->edges.len && !rests && r->level.session_order; i++) {
        const struct check_edge *e = &r->edges.data[i];
        if (!one_session(h, e))
            continue;
        if (!f.h)
            hist_facts_init(&f, h, model_get(r->level.model)->snapshot != SNAPSHOT_TRANSACTION);
        rests = !hist_facts_older(&f, e->kind == CHECK_RW ? e->via : e->from_op, e->to_op);
    }
    if (f.h)
        hist_facts_free(&f);
    return rests;
}

static bool is_list(const struct history *h, uint32_t op)
{
    return op != HIST_NONE && h->ops.data[op].kind >= HIST_APPEND;
}

/* Which append made which of several equal elements: what is possible at all depends on the level
 * (who is surely visible must be in the list), so such a proof is for it and those above only. */
static bool rests_on_elements(const struct history *h, const struct check_result *r)
{
    bool rests = r->anomaly == ANOMALY_TORN_LIST && r->ops.len == 1;
    for (size_t i = 0; i < r->edges.len && r->lemmas && !rests; i++)
        rests = is_list(h, r->edges.data[i].from_op) || is_list(h, r->edges.data[i].to_op);
    return rests;
}

static bool is_item_key(const struct history *h, uint32_t key)
{
    size_t first = h->keys.len - h->lowered.keys;
    return key == HIST_NONE || key < first || h->lowered.texts.data[key - first] == HIST_NONE;
}

static bool is_item(const struct history *h, uint32_t op)
{
    return op == HIST_NONE || (is_item_key(h, h->ops.data[op].key) &&
                               !(h->ops.data[op].flags & (HIST_OP_ANY | HIST_OP_NOT_FOUND)));
}

/* No read of the history is about several rows, or about a row that was not there. */
static bool has_only_items(const struct history *h)
{
    bool only = !h->predicates.len && !h->lowered.keys;
    for (uint32_t i = 0; i < h->ops.len && only; i++)
        only = is_item(h, i);
    return only;
}

/* Repeatable read sees items as ser does, and rows that match or do not in a way of its own.  What
 * follows from all reads of a history together (that no choice is left, that a transaction of
 * unknown outcome cannot have happened) may follow from the latter. */
static bool is_about_items(const struct history *h, const struct check_result *r)
{
    if (r->level.real_time == LEVEL_ITEMS_ONLY || has_only_items(h))
        return true;
    bool items = !r->lemmas && !r->no_source;
    for (size_t i = 0; i < h->txns.len && items; i++)
        items = h->txns.data[i].status != HIST_UNKNOWN;
    for (size_t i = 0; i < r->edges.len && items; i++) {
        const struct check_edge *e = &r->edges.data[i];
        items = is_item_key(h, e->key) &&
                (e->kind == CHECK_RT || (is_item(h, e->from_op) && is_item(h, e->to_op)));
    }
    for (size_t i = 0; i < r->cases.len && items; i++)
        items = is_item(h, r->cases.data[i].first) && is_item(h, r->cases.data[i].second);
    for (size_t i = 0; i < r->ops.len && items; i++)
        items = is_item(h, r->ops.data[i]);
    return items;
}

struct ruled_out ruled_out_by(const struct history *h, const struct check_result *r)
{
    struct ruled_out out = {.items = is_about_items(h, r)};
    for (size_t i = 0; i < r->edges.len; i++) {
        const struct check_edge *e = &r->edges.data[i];
        out.needs_begins |= e->kind == CHECK_RT && e->via == CHECK_COMMIT_BEGIN;
        out.needs_commits |= e->kind == CHECK_RT && e->via != CHECK_COMMIT_BEGIN;
        out.needs_sessions |= e->kind == CHECK_SO;
    }
    out.needs_real_time = out.needs_begins || out.needs_commits;
    bool elements = rests_on_elements(h, r), predicates = rests_on_predicates(h, r);
    bool by_level = elements || (predicates && h->lowered.view == HIST_FOR_CAUSAL);
    out.needs_sessions =
        out.needs_sessions || rests_on_sessions(h, r) || (by_level && r->level.session_order);
    if (!out.needs_real_time && elements)
        out.models = model_and_above(r->level.model);
    else if (!out.needs_real_time)
        out.models = model_and_above(r->level.model) |
                     ((ruled_out_by_all(h, r) | by_name(h, r)) & ~not_transferable(h, r) &
                      ~(predicates ? not_by_predicates(h) : 0));
    if (out.needs_sessions)
        out.models &= ~(1u << MODEL_EC);
    out.shapes = out.models;
    if (out.needs_real_time)
        out.shapes = model_and_above(r->level.model) | (elements ? 0 : ruled_out_by_all(h, r));
    return out;
}
