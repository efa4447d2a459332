/* Names for cycles: Adya's (thesis, 2000, section 4.2) and the well-known special cases, in plain
 * words.
 *
 * The name says what the cycle is made of, whatever the level that was asked for, so that the same
 * cycle has the same name everywhere.  Each name's definition rules out some models
 * (anomalies.def); a cycle is given the name only if its shape does. */
#include <assert.h>

#include "certify/anomaly_name.h"
#include "certify/ruled_out.h"

struct shape {
    const struct history *h;
    const struct check_edge *e;
    uint32_t n;
    uint32_t so, rt, ww, wr, rw;
    uint32_t began; /* of rt: a commit before a begin */
    bool adjacent;  /* two anti-dependencies in a row */
    bool one_key;   /* reads and writes of one row only */
    bool predicate; /* an anti-dependency is about a row as a predicate sees it */
    uint32_t at;    /* an anti-dependency */
};

static const struct check_edge *edge(const struct shape *s, uint32_t i)
{
    return &s->e[i % s->n];
}

/* Of the row as a predicate sees it; not of one that an aggregate is made of. */
static bool is_predicate_key(const struct history *h, uint32_t key)
{
    size_t first = h->keys.len - h->lowered.keys;
    return key >= first && h->lowered.texts.data[key - first] != HIST_NONE;
}

/* An anti-dependency of a predicate read, and not of an item.  Repeatable read has items only. */
static bool is_phantom(const struct history *h, const struct check_result *r,
                       const struct check_edge *e)
{
    if (r->level.real_time == LEVEL_ITEMS_ONLY)
        return false;
    return is_predicate_key(h, e->key) ||
           h->ops.data[e->from_op].flags & (HIST_OP_ANY | HIST_OP_NOT_FOUND);
}

static struct shape shape_of(const struct history *h, const struct check_result *r, uint32_t cycle)
{
    const struct check_cycle *c = &r->cycles.data[cycle];
    struct shape s = {.h = h, .e = r->edges.data + c->start, .n = c->len, .one_key = true};
    for (uint32_t i = 0; i < s.n; i++) {
        enum check_edge_kind kind = s.e[i].kind;
        s.so += kind == CHECK_SO;
        s.rt += kind == CHECK_RT;
        s.began += kind == CHECK_RT && s.e[i].via == CHECK_COMMIT_BEGIN;
        s.ww += kind == CHECK_WW;
        s.wr += kind == CHECK_WR;
        s.rw += kind == CHECK_RW;
        s.one_key &= kind != CHECK_SO && kind != CHECK_RT && s.e[i].key == s.e[0].key;
        if (kind != CHECK_RW)
            continue;
        s.at = i;
        s.adjacent |= edge(&s, i + 1)->kind == CHECK_RW;
        s.predicate |= is_phantom(h, r, &s.e[i]);
    }
    return s;
}

static enum anomaly without_rw(const struct shape *s)
{
    if (s->so)
        return s->wr ? ANOMALY_G1C_SESSION : ANOMALY_G0_SESSION;
    return s->wr ? ANOMALY_G1C : ANOMALY_G0;
}

static bool writes_key(const struct history *h, uint32_t txn, uint32_t key)
{
    const struct hist_txn *t = &h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (hist_is_write(&h->ops.data[i]) && h->ops.data[i].key == key)
            return true;
    return false;
}

/* The reader of the stale version overwrote the row as well, behind those that it had not seen.  Of
 * two that write several rows both, any of these says who came first. */
static bool overwrote_unseen(const struct shape *s)
{
    const struct check_edge *in = edge(s, s->at + s->n - 1), *rw = &s->e[s->at];
    if (in->kind != CHECK_WW || in->to != rw->from)
        return false;
    return s->one_key || (s->n == 2 && writes_key(s->h, rw->from, rw->key));
}

static enum anomaly with_one_rw(const struct shape *s, uint32_t ruled_out)
{
    if (overwrote_unseen(s))
        return ANOMALY_LOST_UPDATE;
    if (s->ww)
        return ANOMALY_G_SINGLE;
    if (s->n == 2 && s->so)
        return ANOMALY_STALE_SESSION;
    if (s->n == 2)
        return ruled_out >> MODEL_RC & 1 ? ANOMALY_NON_MONOTONIC_READ : ANOMALY_READ_SKEW;
    if (s->n == 3 && edge(s, s->at + 1)->kind == CHECK_WR && edge(s, s->at + 2)->kind == CHECK_SO)
        return ANOMALY_NON_MONOTONIC_SESSION;
    return ANOMALY_CAUSALITY;
}

/* Who wrote was seen (or comes earlier in the session), who saw it missed the other write; twice.
 */
static bool is_long_fork(const struct shape *s)
{
    for (uint32_t i = 0; i < 4; i++) {
        enum check_edge_kind kind = edge(s, s->at + i)->kind;
        if (i % 2 ? kind != CHECK_WR && kind != CHECK_SO : kind != CHECK_RW)
            return false;
    }
    return s->n == 4 && edge(s, s->at)->key != edge(s, s->at + 2)->key;
}

static bool writes(const struct history *h, uint32_t txn)
{
    const struct hist_txn *t = &h->txns.data[txn];
    for (uint32_t i = t->first_op; i < t->first_op + t->op_count; i++)
        if (h->ops.data[i].kind == HIST_WRITE || h->ops.data[i].kind == HIST_APPEND)
            return true;
    return false;
}

/* Fekete, O'Neil and O'Neil, SIGMOD Record 2004: two anti-dependencies in a row, the first from a
 * transaction that only reads. */
static bool is_read_only_anomaly(const struct shape *s)
{
    for (uint32_t i = 0; i < s->n && s->rw == 2; i++)
        if (edge(s, i)->kind == CHECK_RW && edge(s, i + 1)->kind == CHECK_RW)
            return !writes(s->h, edge(s, i)->from);
    return false;
}

static enum anomaly with_several_rw(const struct shape *s)
{
    if (s->one_key && s->rw == s->n)
        return ANOMALY_LOST_UPDATE;
    if (is_long_fork(s))
        return ANOMALY_LONG_FORK;
    if (!s->adjacent)
        return ANOMALY_G_NONADJACENT;
    if (s->predicate)
        return ANOMALY_PHANTOM;
    if (s->rw == s->n)
        return ANOMALY_WRITE_SKEW;
    if (s->rw + s->so == s->n)
        return ANOMALY_WRITE_SKEW_SESSION;
    return is_read_only_anomaly(s) ? ANOMALY_READ_ONLY : ANOMALY_G2_ITEM;
}

enum anomaly anomaly_of_cycle(const struct history *h, const struct check_result *r, uint32_t cycle)
{
    struct shape s = shape_of(h, r, cycle);
    if (s.rt)
        return s.rw == 1 && s.rt == s.began ? ANOMALY_STALE_READ : ANOMALY_REAL_TIME;
    if (!s.rw)
        return without_rw(&s);
    return s.rw == 1 ? with_one_rw(&s, ruled_out_by_cycle(h, r, cycle)) : with_several_rw(&s);
}

/* --- the name of the whole ------------------------------------------------------------------- */

struct candidate {
    uint32_t cycle;
    enum anomaly name;
    int worth; /* how much the definition of the name says */
    bool shown;
};

static int bits(uint32_t set)
{
    int n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

static bool better(const struct check_result *r, const struct candidate *a,
                   const struct candidate *b)
{
    if (b->cycle == HIST_NONE || a->worth != b->worth)
        return b->cycle == HIST_NONE || a->worth > b->worth;
    if (a->shown != b->shown)
        return a->shown;
    return r->cycles.data[a->cycle].len < r->cycles.data[b->cycle].len;
}

static bool uses_real_time(const struct check_result *r)
{
    for (size_t i = 0; i < r->edges.len; i++)
        if (r->edges.data[i].kind == CHECK_RT)
            return true;
    return false;
}

/* A name that no cycle of the argument contradicts, and that says as much as possible.  No model by
 * itself is ruled out by an argument with real time in it, so that no other name fits it. */
struct anomaly_choice anomaly_of_violation(const struct history *h, const struct check_result *r)
{
    uint32_t ruled_out = uses_real_time(r) ? 0 : ruled_out_by_all(h, r);
    struct candidate best = {.cycle = HIST_NONE, .name = ANOMALY_UNSATISFIABLE};
    bool whole = !r->no_source && !r->lemmas;
    for (uint32_t i = 0; i < r->cycles.len; i++) {
        struct candidate x = {.cycle = i, .name = anomaly_of_cycle(h, r, i)};
        uint32_t definition = anomaly_rules_out(x.name);
        x.worth = bits(definition);
        x.shown = whole && i == r->cycle;
        if (!(definition & ~ruled_out) && better(r, &x, &best))
            best = x;
    }
    return (struct anomaly_choice){best.name, best.cycle};
}

bool anomaly_is_named(const struct history *h, const struct check_result *r)
{
    return (r->cycle == HIST_NONE && !r->cases.len) ||
           anomaly_of_violation(h, r).name == r->anomaly;
}
