/* Levels of databases: where each statement of an execution goes.
 *
 * The commits are in the execution's order, and a point is a number of them.  A SELECT at READ
 * COMMITTED, and the first statement of a transaction at the other levels, takes its snapshot at
 * the point that the execution says.  A statement that locks rows gets them when all who locked
 * them before, in a mode that conflicts, have ended.  It is issued at the point of its snapshot (or
 * as soon as the statement before it is done) and waits for the row, if there is one transaction in
 * its way and that has it locked by then.  Otherwise, where the snapshot is older than the locks,
 * the statement is held at a gate in its WHERE; where it has none to show, it is issued when nobody
 * is in its way.
 *
 * The axioms of these levels (semantics in docs/databases.md) say that the points fit together. */
#include "base/mem.h"
#include "database/schedule.h"

#define ANYWHERE UINT32_MAX

/* Where a statement goes. */
struct spot {
    uint32_t issue, done; /* points: it is issued, and it has its locks */
    uint32_t whom;        /* issue < done: waits for this transaction; UINT32_MAX: at the gate */
};

struct waits {
    const struct plan *p;
    uint32_t n;
    struct spot **spot; /* [transaction][statement] */
};

static uint32_t end_of(const struct waits *w, uint32_t txn)
{
    const struct plan *p = w->p;
    bool observer = p->has_observer && txn == w->n - 1;
    if (observer && !p->final_observer)
        return p->txns.data[txn].bases.data[0];
    return p->txns.data[txn].position;
}

/* ---- locks ---------------------------------------------------------------------------------- */

static bool conflict(enum plan_lock_mode a, enum plan_lock_mode b)
{
    return a != PLAN_FOR_SHARE || b != PLAN_FOR_SHARE;
}

static bool in_the_way(const struct plan_statement *earlier, const struct plan_statement *later)
{
    for (size_t i = 0; i < earlier->locks.len; i++)
        for (size_t k = 0; k < later->locks.len; k++)
            if (earlier->locks.data[i].set.row == later->locks.data[k].set.row &&
                conflict(earlier->locks.data[i].mode, later->locks.data[k].mode))
                return true;
    return false;
}

/* Does s, before t in the order of commits, ever lock what t's statement locks? */
static bool before_it(const struct waits *w, uint32_t s, uint32_t t,
                      const struct plan_statement *st)
{
    const struct plan_txn *earlier = &w->p->txns.data[s];
    if (s == t || earlier->position >= w->p->txns.data[t].position)
        return false;
    for (size_t i = 0; i < earlier->statements.len; i++)
        if (in_the_way(&earlier->statements.data[i], st))
            return true;
    return false;
}

/* The point from which on nobody is in the way. */
static uint32_t free_from(const struct waits *w, uint32_t t, const struct plan_statement *st)
{
    uint32_t from = 0;
    for (uint32_t s = 0; s < w->n; s++)
        if (before_it(w, s, t, st) && w->p->txns.data[s].position + 1 > from)
            from = w->p->txns.data[s].position + 1;
    return from;
}

/* Has s all its locks that are in the way of the statement, when a later transaction issues it at
 * that point? */
static bool has_locked(const struct waits *w, uint32_t s, const struct plan_statement *st,
                       uint32_t point)
{
    const struct plan_txn *t = &w->p->txns.data[s];
    for (size_t i = 0; i < t->statements.len; i++)
        if (in_the_way(&t->statements.data[i], st) && w->spot[s][i].done > point)
            return false;
    return true;
}

/* Whom a statement with one row would wait for if it was issued at that point: the one that is left
 * of those in its way, if it has its locks. */
static uint32_t waits_for(const struct waits *w, uint32_t t, const struct plan_statement *st,
                          uint32_t point)
{
    uint32_t whom = UINT32_MAX;
    for (uint32_t s = 0; s < w->n; s++) {
        if (!before_it(w, s, t, st) || w->p->txns.data[s].position < point)
            continue;
        if (whom != UINT32_MAX || !has_locked(w, s, st, point))
            return UINT32_MAX;
        whom = s;
    }
    return st->locks.len == 1 ? whom : UINT32_MAX;
}

/* ---- points --------------------------------------------------------------------------------- */

/* Where the snapshot of a statement is; ANYWHERE: it shows nothing of it. */
static uint32_t snapshot_of(const struct waits *w, uint32_t t, size_t n)
{
    const struct plan_txn *x = &w->p->txns.data[t];
    const struct plan_statement *st = &x->statements.data[n];
    if (w->p->has_observer && t == w->n - 1)
        return end_of(w, t);
    if (x->level->snapshot == SNAPSHOT_TRANSACTION)
        return n == 0 ? x->bases.data[0] : ANYWHERE;
    return st->reads.len ? x->bases.data[x->reads.data[st->reads.data[0]].point] : ANYWHERE;
}

/* Transactions of a session run one after the other. */
static uint32_t earliest(const struct waits *w, uint32_t t)
{
    uint32_t first = 0;
    for (uint32_t s = 0; s < w->n; s++) {
        const struct plan_txn *x = &w->p->txns.data[s];
        if (s != t && x->session == w->p->txns.data[t].session &&
            x->position < w->p->txns.data[t].position && x->position + 1 > first)
            first = x->position + 1;
    }
    return first;
}

/* In the order of commits: those in the way have their spots already. */
static bool place_txn(struct waits *w, uint32_t t)
{
    const struct plan_txn *x = &w->p->txns.data[t];
    uint32_t point = earliest(w, t);
    for (size_t i = 0; i < x->statements.len; i++) {
        const struct plan_statement *st = &x->statements.data[i];
        uint32_t base = snapshot_of(w, t, i), from = free_from(w, t, st);
        struct spot *s = &w->spot[t][i];
        s->issue = base != ANYWHERE ? base : point;
        s->whom = from > s->issue ? waits_for(w, t, st, s->issue) : UINT32_MAX;
        if (base == ANYWHERE && from > point && s->whom == UINT32_MAX)
            s->issue = from; /* there is nobody to wait for */
        s->done = from > s->issue ? from : s->issue;
        if (s->issue < point || s->done > end_of(w, t))
            return false;
        point = s->done;
    }
    return true;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void step(struct schedule *out, enum schedule_kind kind, uint32_t txn, size_t n,
                 uint32_t whom)
{
    vec_push(&out->steps, ((struct schedule_step){kind, txn, (uint32_t)n, whom}));
}

/* What a transaction does at a point. */
static void put_point(const struct waits *w, uint32_t t, uint32_t point, struct schedule *out)
{
    const struct plan_txn *x = &w->p->txns.data[t];
    for (size_t i = 0; i < x->statements.len; i++) {
        const struct spot *s = &w->spot[t][i];
        bool waits = s->whom != UINT32_MAX;
        if (s->issue == point && i == 0)
            step(out, SCHEDULE_BEGIN, t, 0, 0);
        if (s->issue == point && s->done == point)
            step(out, SCHEDULE_STATEMENT, t, i, 0);
        else if (s->issue == point)
            step(out, waits ? SCHEDULE_WAIT : SCHEDULE_HOLD, t, i, s->whom);
        else if (s->done == point)
            step(out, waits ? SCHEDULE_RESUME : SCHEDULE_OPEN, t, i, 0);
    }
}

static void put_end(const struct waits *w, uint32_t t, struct schedule *out)
{
    if (!w->p->txns.data[t].statements.len)
        step(out, SCHEDULE_BEGIN, t, 0, 0);
    step(out, SCHEDULE_END, t, 0, 0);
}

/* At each point the earlier ones first, so that a lock that another waits for is there; the
 * observer ends where it looks. */
static void put_steps(const struct waits *w, struct schedule *out)
{
    uint32_t writers = w->n - w->p->has_observer;
    for (uint32_t point = 0; point <= writers; point++) {
        for (uint32_t i = point; i < w->n; i++)
            put_point(w, plan_at(w->p, i), point, out);
        if (w->p->has_observer && end_of(w, writers) == point)
            put_end(w, writers, out);
        if (point < writers)
            put_end(w, plan_at(w->p, point), out);
    }
}

bool schedule_statements(const struct plan *p, struct schedule *out)
{
    struct waits w = {.p = p, .n = (uint32_t)p->txns.len};
    bool fits = true;
    *out = (struct schedule){.order = SCHEDULE_EXECUTION};
    w.spot = mem_calloc(w.n + 1, sizeof *w.spot);
    for (uint32_t i = 0; i < w.n; i++)
        w.spot[i] = mem_calloc(p->txns.data[i].statements.len + 1, sizeof **w.spot);
    for (uint32_t i = 0; i < w.n && fits; i++)
        fits = place_txn(&w, plan_at(p, i));
    if (fits)
        put_steps(&w, out);
    else
        out->why = "the order of its commits, its snapshots and its locks do not fit together";
    for (uint32_t i = 0; i < w.n; i++)
        mem_free(w.spot[i]);
    mem_free(w.spot);
    return fits;
}
