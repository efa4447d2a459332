/* The cycles that each model rules out, by the table "Histories" of docs/semantics.md:
 *
 *   ser      every cycle
 *   si, pc   a path through begins B and commits C: so and wr lead from C to B, rw from B to C, ww
 *            from C to B (si) or to C (pc); inside a transaction only B to C.  A cycle of
 *            transactions is one of events unless an edge arrives at C and the next leaves from B.
 *   psi      a cycle with at most one rw; a cycle of rw edges of one row is one, too, by the order
 *            of its versions (likewise for si)
 *   cc       without rw: a cycle of arbitration; with one rw and no ww: a transaction that must and
 *            must not be visible (ww arbitrates, but does not make visible)
 *   ra       without rw; with one rw, if the way back is one wr or is all in the session
 *   rcs      as pc, and a wr before an rw arrives at the same or an earlier statement
 *   rc       without rw; with one rw, if the way back is one wr to the same or an earlier read
 *   ec       without so, and without rw; with one rw, if the way back is one wr to the same read
 *
 * Session order means so ⊆ vis; for rc it only means so ⊆ ar, for ec nothing. */
#include "certify/ruled_out.h"
#include "models/model_sets.h"

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
 * of one statement (flag SAME_STMT; of one read, SAME_READ) share theirs, whatever their order. */
static bool snapshot_no_later(const struct history *h, uint32_t a, uint32_t b, uint8_t flag)
{
    for (uint32_t i = b + 1; i <= a; i++)
        if (!(h->ops.data[i].flags & flag))
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
            !snapshot_no_later(h, in->to_op, e->from_op, HIST_OP_SAME_STMT))
            return false;
    }
    return true;
}

/* One rw edge and a way back that makes its end visible at once, without a third transaction. */
static bool is_direct(const struct history *h, const struct check_result *r,
                      const struct check_cycle *c, enum model_id model)
{
    uint32_t wr = count(r, c, CHECK_WR), so = count(r, c, CHECK_SO);
    if (!model_per_read(model_get(model)))
        return (wr == 1 && so == 0) || (wr == 0 && so > 0);
    const struct check_edge *read = NULL, *seen = NULL;
    for (uint32_t i = 0; i < c->len; i++) {
        const struct check_edge *e = edge_at(r, c, i);
        if (e->kind == CHECK_RW)
            read = e;
        if (e->kind == CHECK_WR)
            seen = e;
    }
    return wr == 1 && so == 0 &&
           snapshot_no_later(h, seen->to_op, read->from_op, HIST_OP_SAME_READ) &&
           (model == MODEL_RC ||
            snapshot_no_later(h, read->from_op, seen->to_op, HIST_OP_SAME_READ));
}

/* Anti-dependencies on one row only: all wrote it, so whoever came last in its version order missed
 * the write of the next one on the cycle, which its own overwrote. */
static bool is_lost_update(const struct check_result *r, const struct check_cycle *c)
{
    for (uint32_t i = 0; i < c->len; i++)
        if (edge_at(r, c, i)->kind != CHECK_RW || edge_at(r, c, i)->key != edge_at(r, c, 0)->key)
            return false;
    return true;
}

static bool is_impossible(const struct history *h, const struct check_result *r,
                          const struct check_cycle *c, enum model_id model)
{
    uint32_t rw = count(r, c, CHECK_RW), ww = count(r, c, CHECK_WW);
    switch (model) {
    case MODEL_SER:
        return true;
    case MODEL_SI:
        return is_event_cycle(h, r, c, model) || is_lost_update(r, c);
    case MODEL_PC:
    case MODEL_RCS:
        return is_event_cycle(h, r, c, model);
    case MODEL_PSI:
        return rw <= 1 || is_lost_update(r, c);
    case MODEL_CC:
        return rw == 0 || (rw == 1 && ww == 0);
    case MODEL_RA:
    case MODEL_RC:
        return rw == 0 || (rw == 1 && ww == 0 && is_direct(h, r, c, model));
    case MODEL_EC:
        return count(r, c, CHECK_SO) == 0 &&
               (rw == 0 || (rw == 1 && ww == 0 && is_direct(h, r, c, model)));
    default: /* the levels of databases are no part of the lattice */
        break;
    }
    return false;
}

uint32_t ruled_out_by_cycle(const struct history *h, const struct check_result *r, uint32_t cycle)
{
    uint32_t bits = 0;
    for (int m = 0; m < MODEL_COUNT; m++)
        if (is_impossible(h, r, &r->cycles.data[cycle], (enum model_id)m))
            bits |= model_and_above((enum model_id)m);
    return bits;
}

uint32_t ruled_out_by_all(const struct history *h, const struct check_result *r)
{
    uint32_t bits = r->cycles.len ? (1u << MODEL_COUNT) - 1 : 0;
    for (uint32_t i = 0; i < r->cycles.len; i++)
        bits &= ruled_out_by_cycle(h, r, i);
    return bits;
}
