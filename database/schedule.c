#include "database/schedule.h"

#include "base/limit.h"
#include "base/mem.h"
#include "database/engine.h"

/* A point is a number of commits: what happens there comes after so many of them. */
struct search {
    const struct plan *p;
    const enum record_isolation *level;
    uint32_t n;
    const struct engine_answer *engine;
    bool by_certificate; /* snapshots are where the certificate has them */
    uint32_t *order;     /* transactions by commit, the first `done` of them */
    uint32_t *place;     /* of each transaction in order, or UINT32_MAX */
    uint32_t done;
    uint32_t *begin;  /* [transaction]: where it begins */
    uint32_t **point; /* [transaction][locks, then reads]: where it happens */
    bool gave_up;
};

/* ---- one transaction ------------------------------------------------------------------------ */

/* The last to write the row among the first `point` commits. */
static uint32_t writer_at(const struct search *s, uint32_t row, uint32_t point)
{
    while (point-- > 0)
        if (plan_find_write(&s->p->txns.data[s->order[point]], row))
            return s->order[point];
    return PLAN_INITIAL;
}

static bool locks_row(const struct plan_txn *t, uint32_t row)
{
    for (size_t i = 0; i < t->locks.len; i++)
        if (t->locks.data[i] == row)
            return true;
    for (size_t i = 0; i < t->reads.len; i++)
        if (t->reads.data[i].lock && t->reads.data[i].cells.row == row)
            return true;
    return false;
}

/* Does anybody who commits from `point` on, before t does, write (or lock) the row?  A writer makes
 * PostgreSQL refuse t's write; who only locked it is gone by then, but would have waited for t's
 * own lock. */
static bool disturbed(const struct search *s, uint32_t row, uint32_t point, bool locks_too)
{
    for (uint32_t i = point; i < s->done; i++) {
        const struct plan_txn *u = &s->p->txns.data[s->order[i]];
        if (plan_find_write(u, row) || (locks_too && locks_row(u, row)))
            return true;
    }
    return false;
}

/* Transactions of a session run one after the other. */
static uint32_t earliest(const struct search *s, const struct plan_txn *t)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < s->done; i++)
        if (s->p->txns.data[s->order[i]].session == t->session)
            first = i + 1;
    return first;
}

static bool snapshot_fits(const struct search *s, const struct plan_txn *t, uint32_t point)
{
    for (size_t i = 0; i < t->reads.len; i++)
        if (writer_at(s, t->reads.data[i].cells.row, point) != t->reads.data[i].source)
            return false;
    for (size_t i = 0; i < t->writes.len; i++)
        if (disturbed(s, t->writes.data[i].row, point, false))
            return false;
    for (uint32_t row = 0; row < s->p->rows.len; row++)
        if (locks_row(t, row) && disturbed(s, row, point, false))
            return false;
    return true;
}

/* The row that the k-th of t's locks and reads locks, or UINT32_MAX. */
static uint32_t locked_row(const struct plan_txn *t, size_t k)
{
    if (k < t->locks.len)
        return t->locks.data[k];
    const struct plan_read *r = &t->reads.data[k - t->locks.len];
    return r->lock ? r->cells.row : UINT32_MAX;
}

/* One snapshot for all: where the certificate has it, or the latest in which every read finds what
 * it saw, and after which nobody writes what t writes or locks.  A row that somebody only locks in
 * between does not matter: PostgreSQL would wait for that lock and go on with the snapshot that it
 * has, so the row is locked when the other is gone. */
static bool place_snapshot(struct search *s, uint32_t id, uint32_t first)
{
    const struct plan_txn *t = &s->p->txns.data[id];
    uint32_t point = s->done;
    if (s->by_certificate && s->engine->point) {
        point = s->engine->point[id];
        if (point < first || point > s->done || !snapshot_fits(s, t, point))
            return false;
    }
    while (!snapshot_fits(s, t, point))
        if (point-- == first)
            return false;
    s->begin[id] = point;
    for (size_t i = 0; i < t->locks.len + t->reads.len; i++) {
        uint32_t row = locked_row(t, i);
        bool waits = row != UINT32_MAX && disturbed(s, row, point, true);
        s->point[id][i] = waits ? s->done : point;
    }
    return true;
}

/* A snapshot for each statement, each as late as possible: from the last to the first. */
static bool place_statements(struct search *s, uint32_t id, uint32_t first)
{
    const struct plan_txn *t = &s->p->txns.data[id];
    uint32_t point = s->done;
    for (size_t i = t->reads.len; i-- > 0;) {
        const struct plan_read *r = &t->reads.data[i];
        while (writer_at(s, r->cells.row, point) != r->source)
            if (point-- == first)
                return false;
        if (r->lock && disturbed(s, r->cells.row, point, true))
            return false;
        s->point[id][t->locks.len + i] = point;
    }
    for (size_t i = 0; i < t->locks.len; i++) {
        if (disturbed(s, t->locks.data[i], point, true))
            return false;
        s->point[id][i] = point;
    }
    s->begin[id] = point;
    return true;
}

/* Can it be the next to commit? */
static bool fits(struct search *s, uint32_t id)
{
    const struct plan_txn *t = &s->p->txns.data[id];
    bool observer = s->p->has_observer && id == s->n - 1;
    if (observer && s->p->final_observer && s->done != s->n - 1)
        return false;
    for (uint32_t i = 0; i < s->n; i++) /* session order */
        if (s->place[i] == UINT32_MAX && i != id && s->p->txns.data[i].session == t->session &&
            s->p->txns.data[i].position < t->position)
            return false;
    uint32_t first = observer && s->p->final_observer ? s->done : earliest(s, t);
    return s->level[id] == RECORD_READ_COMMITTED ? place_statements(s, id, first)
                                                 : place_snapshot(s, id, first);
}

/* ---- orders --------------------------------------------------------------------------------- */

static void commit(struct search *s, uint32_t id)
{
    s->place[id] = s->done;
    s->order[s->done++] = id;
}

static void take_back(struct search *s)
{
    s->place[s->order[--s->done]] = UINT32_MAX;
}

static bool follow_certificate(struct search *s)
{
    s->by_certificate = true;
    while (s->done < s->n && fits(s, s->engine->commit[s->done]))
        commit(s, s->engine->commit[s->done]);
    if (s->done == s->n)
        return true;
    while (s->done)
        take_back(s);
    s->by_certificate = false;
    return false;
}

static bool extend(struct search *s)
{
    if (s->done == s->n)
        return true;
    if (limit_reached()) {
        s->gave_up = true;
        return false;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t id = s->engine->commit[i];
        if (s->place[id] != UINT32_MAX || !fits(s, id))
            continue;
        commit(s, id);
        if (extend(s))
            return true;
        take_back(s);
    }
    return false;
}

/* ---- statements ----------------------------------------------------------------------------- */

static void step(struct schedule *out, enum schedule_kind kind, uint32_t txn, uint32_t n)
{
    vec_push(&out->steps, ((struct schedule_step){kind, txn, n, 0}));
}

static void begin(uint32_t id, bool *begun, struct schedule *out)
{
    if (!begun[id])
        step(out, SCHEDULE_BEGIN, id, 0);
    begun[id] = true;
}

/* The first lock of a transaction that begins here, if all its statements come later: something
 * else has to take the snapshot. */
static size_t late_lock(const struct search *s, uint32_t id, uint32_t point)
{
    const struct plan_txn *t = &s->p->txns.data[id];
    size_t n = t->locks.len + t->reads.len;
    if (s->begin[id] != point || s->level[id] == RECORD_READ_COMMITTED)
        return SIZE_MAX;
    for (size_t k = 0; k < n; k++)
        if (s->point[id][k] == point)
            return SIZE_MAX;
    return n ? 0 : SIZE_MAX;
}

/* What happens at a point: begins and reads, in the certificate's order of begins if it has one,
 * else in that of the commits. */
static void put_reads(const struct search *s, uint32_t point, bool *begun, struct schedule *out)
{
    const uint32_t *turns = s->by_certificate && s->engine->begin ? s->engine->begin : s->order;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t id = turns[i];
        const struct plan_txn *t = &s->p->txns.data[id];
        if (s->place[id] < point)
            continue;
        if (s->by_certificate && s->begin[id] == point)
            begin(id, begun, out);
        size_t late = late_lock(s, id, point);
        if (late != SIZE_MAX) {
            begin(id, begun, out);
            step(out, SCHEDULE_SNAPSHOT, id, locked_row(t, late));
        }
        for (size_t k = 0; k < t->locks.len + t->reads.len; k++) {
            if (s->point[id][k] != point)
                continue;
            begin(id, begun, out);
            if (k < t->locks.len)
                step(out, SCHEDULE_LOCK, id, (uint32_t)k);
            else
                step(out, SCHEDULE_READ, id, (uint32_t)(k - t->locks.len));
        }
    }
}

static void put_steps(const struct search *s, struct schedule *out)
{
    bool *begun = mem_calloc(s->n + 1, sizeof *begun);
    for (uint32_t point = 0; point < s->n; point++) {
        put_reads(s, point, begun, out);
        uint32_t id = s->order[point];
        begin(id, begun, out);
        for (size_t w = 0; w < s->p->txns.data[id].writes.len; w++)
            step(out, SCHEDULE_WRITE, id, (uint32_t)w);
        step(out, SCHEDULE_END, id, 0);
    }
    mem_free(begun);
}

static bool search(struct search *s, struct schedule *out)
{
    s->order = mem_calloc(s->n + 1, sizeof *s->order);
    s->place = mem_calloc(s->n + 1, sizeof *s->place);
    s->begin = mem_calloc(s->n + 1, sizeof *s->begin);
    s->point = mem_calloc(s->n + 1, sizeof *s->point);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct plan_txn *t = &s->p->txns.data[i];
        s->place[i] = UINT32_MAX;
        s->point[i] = mem_calloc(t->locks.len + t->reads.len + 1, sizeof **s->point);
    }
    bool found = follow_certificate(s);
    out->order = found ? SCHEDULE_CERTIFICATE : SCHEDULE_SEARCHED;
    found = found || extend(s);
    if (found)
        put_steps(s, out);
    for (uint32_t i = 0; i < s->n; i++)
        mem_free(s->point[i]);
    mem_free(s->point);
    mem_free(s->begin);
    mem_free(s->place);
    mem_free(s->order);
    return found;
}

bool schedule_find(const struct plan *p, const enum record_isolation *level, struct schedule *out)
{
    struct engine_answer engine;
    struct search s = {.p = p, .level = level, .n = (uint32_t)p->txns.len, .engine = &engine};
    enum record_isolation weakest = RECORD_SERIALIZABLE;
    *out = (struct schedule){0};
    for (uint32_t i = 0; i < s.n; i++)
        if (level[i] < weakest)
            weakest = level[i];
    engine_ask(p, weakest, &out->arena, &engine);
    out->gave_up = engine.verdict == ENGINE_UNDECIDED;
    out->broken = engine.verdict == ENGINE_BROKEN;
    out->why = engine.why;
    if (engine.verdict != ENGINE_ACCEPTS)
        return false;
    bool found = search(&s, out);
    out->gave_up = s.gave_up;
    return found;
}

void schedule_free(struct schedule *s)
{
    vec_free(&s->steps);
    arena_free(&s->arena);
}
