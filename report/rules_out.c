/* Which levels a violation rules out.
 *
 * A violation of one level is a proof: cycles, each impossible under the level, and cases whose
 * hypotheses are impossible because of their cycles.  The hypotheses (one version of a row is older
 * than another; a read saw this write or that) mean the same under every model.  So the proof
 * carries over to every model under which each of its cycles is impossible as well, and that can be
 * read off the kinds of its edges, by the table "Histories" of docs/semantics.md:
 *
 *   ser       every cycle
 *   si, pc    a path through begins B and commits C: so and wr lead from C to B, rw from B to C, ww
 *             from C to B (si) or to C (pc); inside a transaction only B to C.  A cycle of
 *             transactions is one of events unless an edge arrives at C and the next leaves from B.
 *   psi       cycles with at most one rw
 *   cc        without rw: a cycle of arbitration; with one, and no ww: a transaction that must and
 *             must not be visible (ww arbitrates, but does not make visible)
 *   ra        without rw; with one, if the way back is one wr or is all in the session
 *   rcs       as pc, and a wr before an rw arrives at the same or an earlier statement
 *   rc        without rw; with one, if the way back is one wr to the same or an earlier read
 *
 * Session order means so ⊆ vis, for rc no more than so ⊆ ar.  Where the real-time order is used,
 * only the level in question and those above are ruled out, and no model by itself. */
#include "report/report.h"

/* ---- one cycle ------------------------------------------------------------------------------ */

static const struct check_edge *edge_at(const struct check_result *r, const struct check_cycle *c,
                                        uint32_t i)
{
    return &r->edges.data[c->start + i % c->len];
}

static uint32_t count(const struct check_result *r, const struct check_cycle *c,
                      enum check_edge_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->len; i++)
        n += edge_at(r, c, i)->kind == kind;
    return n;
}

static bool leaves_begin(const struct check_edge *e)
{
    return e->kind == CHECK_RW || (e->kind == CHECK_RT && e->via == CHECK_BEGIN_COMMIT);
}

static bool arrives_at_commit(const struct check_edge *e, enum model_id model)
{
    return e->kind == CHECK_RW || (e->kind == CHECK_WW && model != MODEL_SI) ||
           (e->kind == CHECK_RT && e->via != CHECK_COMMIT_BEGIN);
}

/* Was the snapshot of read a taken no later than that of read b of the same transaction?  The reads
 * of one statement share theirs, whatever their order. */
static bool snapshot_no_later(const struct history *h, uint32_t a, uint32_t b)
{
    for (uint32_t i = b + 1; i <= a; i++)
        if (!(h->ops.data[i].flags & HIST_OP_SAME_STMT))
            return false;
    return true;
}

static bool is_event_cycle(const struct history *h, const struct check_result *r,
                           const struct check_cycle *c, enum model_id model)
{
    for (uint32_t i = 0; i < c->len; i++) {
        const struct check_edge *e = edge_at(r, c, i), *in = edge_at(r, c, i + c->len - 1);
        if (!leaves_begin(e))
            continue;
        if (arrives_at_commit(in, model))
            return false;
        if (model == MODEL_RCS && in->kind == CHECK_WR &&
            !snapshot_no_later(h, in->to_op, e->from_op))
            return false;
    }
    return true;
}

/* One rw edge and a way back that makes its end visible at once, without a third transaction. */
static bool is_direct(const struct check_result *r, const struct check_cycle *c, bool per_read)
{
    uint32_t wr = count(r, c, CHECK_WR), so = count(r, c, CHECK_SO);
    if (!per_read)
        return (wr == 1 && so == 0) || (wr == 0 && so > 0);
    const struct check_edge *read = NULL, *seen = NULL;
    for (uint32_t i = 0; i < c->len; i++) {
        const struct check_edge *e = edge_at(r, c, i);
        if (e->kind == CHECK_RW)
            read = e;
        if (e->kind == CHECK_WR)
            seen = e;
    }
    return wr == 1 && so == 0 && seen->to_op <= read->from_op;
}

static bool is_impossible(const struct history *h, const struct check_result *r,
                          const struct check_cycle *c, enum model_id model)
{
    uint32_t rw = count(r, c, CHECK_RW), ww = count(r, c, CHECK_WW);
    switch (model) {
    case MODEL_SER:
        return true;
    case MODEL_SI:
    case MODEL_PC:
    case MODEL_RCS:
        return is_event_cycle(h, r, c, model);
    case MODEL_PSI:
        return rw <= 1;
    case MODEL_CC:
        return rw == 0 || (rw == 1 && ww == 0);
    case MODEL_RA:
    case MODEL_RC:
        return rw == 0 || (rw == 1 && ww == 0 && is_direct(r, c, model == MODEL_RC));
    case MODEL_COUNT:
        break;
    }
    return false;
}

/* ---- the whole proof ------------------------------------------------------------------------ */

static uint32_t and_above(enum model_id model)
{
    uint32_t bits = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (model_weaker_or_equal(model, (enum model_id)m))
            bits |= 1u << m;
    return bits;
}

static uint32_t by_cycles(const struct history *h, const struct check_result *r)
{
    uint32_t bits = 0;
    for (int m = 0; m < MODEL_COUNT && r->cycles.len; m++) {
        bool all = true;
        for (size_t i = 0; i < r->cycles.len && all; i++)
            all = is_impossible(h, r, &r->cycles.data[i], (enum model_id)m);
        if (all)
            bits |= and_above((enum model_id)m);
    }
    return bits;
}

bool report_refutes(const struct history *h, const struct check_result *r)
{
    for (size_t i = 0; i < r->cycles.len; i++)
        if (!is_impossible(h, r, &r->cycles.data[i], r->level.model))
            return false;
    return true;
}

static bool has_write(const struct history *h, const struct check_result *r)
{
    for (size_t i = 0; i < r->ops.len; i++)
        if (h->ops.data[r->ops.data[i]].kind == HIST_WRITE ||
            h->ops.data[r->ops.data[i]].kind == HIST_APPEND)
            return true;
    return false;
}

/* Two transactions read one version, as the history alone says, and both overwrote it. */
static bool both_read(const struct check_result *r)
{
    if (r->cycle == HIST_NONE)
        return true;
    for (size_t i = 0; i < r->cases.len; i++)
        if (r->cases.data[i].kind == CHECK_SOURCE)
            return false;
    const struct check_cycle *c = &r->cycles.data[r->cycle];
    const struct check_edge *a = edge_at(r, c, 0), *b = edge_at(r, c, 1);
    return c->len == 2 && !r->lemmas && a->kind == CHECK_RW && b->kind == CHECK_RW &&
           a->key == b->key && a->via == b->via;
}

/* Anomalies whose very definition rules out a model. */
static uint32_t by_name(const struct history *h, const struct check_result *r)
{
    switch (r->anomaly) {
    case CHECK_G1A:
    case CHECK_G1B:
    case CHECK_THIN_AIR:
    case CHECK_FUTURE_READ:
    case CHECK_DUPLICATE_WRITE: /* a rule of the user's, for every level */
        return and_above(MODEL_RC);
    case CHECK_INTERNAL: /* rc and rcs may read a row twice and get two values */
        return has_write(h, r) ? and_above(MODEL_RC) : and_above(MODEL_RA);
    case CHECK_NON_REPEATABLE:
        return and_above(MODEL_RA);
    case CHECK_LOST_UPDATE:
        return both_read(r) ? and_above(MODEL_PSI) : 0;
    default:
        return 0;
    }
}

/* A transaction of unknown outcome that contradicts itself did not happen; but what contradicts
 * itself under one snapshot need not do so where each read has its own. */
static uint32_t not_transferable(const struct history *h, const struct check_result *r)
{
    if (model_get(r->level.model)->snapshot != SNAPSHOT_TRANSACTION)
        return 0;
    for (size_t i = 0; i < h->txns.len; i++)
        if (h->txns.data[i].status == HIST_UNKNOWN)
            return 1u << MODEL_RC | 1u << MODEL_RCS;
    return 0;
}

struct report_ruled_out report_rules_out(const struct history *h, const struct check_result *r)
{
    struct report_ruled_out out = {0};
    for (size_t i = 0; i < r->edges.len; i++) {
        out.needs_real_time |= r->edges.data[i].kind == CHECK_RT;
        out.needs_sessions |= r->edges.data[i].kind == CHECK_SO;
    }
    if (!out.needs_real_time)
        out.models = and_above(r->level.model) |
                     ((by_cycles(h, r) | by_name(h, r)) & ~not_transferable(h, r));
    return out;
}
