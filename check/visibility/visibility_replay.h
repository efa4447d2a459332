/* What visibility_replay.c and visibility_settle.c share: the state of a run, see
 * visibility_replay.c. */
#ifndef CHECK_VISIBILITY_VISIBILITY_REPLAY_H
#define CHECK_VISIBILITY_VISIBILITY_REPLAY_H

#include "base/heap.h"
#include "base/map.h"
#include "check/visibility/visibility_internal.h"

/* A chain waits for a version that a read of its next transaction could see; HIST_NONE: for any
 * version of the key. */
struct waiter {
    uint32_t chain, read, stamp, next;
};

enum { SOFT, HARD, DROPPED };
struct extra_order {
    uint32_t from, next, kind;
};

/* Why a chain waits: a read would see a version and can see none that is later; or the chain waits
 * for a transaction. */
struct stuck {
    uint32_t read, version, txn;
};

/* A change that could help: `before` runs before `txn`, which now runs when `to` transactions are
 * in place. */
struct change {
    uint32_t to;
    uint32_t before, txn;
};

struct replay {
    struct vis *w;
    struct prob *p;
    enum model_id model;
    bool closed;
    uint32_t *hint;         /* per transaction: when it would like to run */
    uint32_t *next;         /* per chain: the transaction that runs next */
    uint32_t *line, *count; /* per key: the versions in place, indexed like the versions */
    uint32_t *place;        /* per version: its place in the line, from 1; 0: none */

    heap_u64 ready;    /* chains that may be able to run, by the hint of their next transaction */
    uint32_t *waiting; /* per key, then per transaction: 1 + the first waiter for it */
    uint32_t *stamp;   /* per chain: the stamp of its valid waiters */
    VEC(struct waiter) waiters;
    struct stuck *stuck; /* per chain */

    uint32_t t;      /* the transaction at hand */
    uint32_t budget; /* left for it */
    uint64_t steps;  /* of work since they were last taken from the total */
    struct budget *total;
    /* What is visible to it, one state for each step of the search.  RC, RA: per read the place of
     * the last visible version.  CC, PSI: a clock. */
    VEC(uint32_t) states;
    size_t width;
    /* RC, RA.  key_read: per key, 1 + its last read by the transaction at hand, valid if key_of is
     * that transaction.  read_before: per read, 1 + the previous read of the same key. */
    uint32_t *key_read, *key_of, *read_before;

    /* Orders beyond the problem's own: per transaction, 1 + the first of the edges that lead to
     * it. */
    uint32_t *edge;
    VEC(struct extra_order) edges;
    struct map useless; /* edges that did not help */
    size_t work;        /* transactions that may still be looked at */
    uint32_t furthest, tries, attempt;
};

static inline uint32_t replay_version_at(const struct replay *c, uint32_t key, uint32_t place)
{
    return c->line[c->p->ver_start[key] + place]; /* of place 0: the initial version */
}

static inline bool replay_in_place(const struct replay *c, uint32_t txn)
{
    return c->next[c->p->session[txn]] > txn;
}

/* CC, PSI: the clock of a transaction that is in place. */
static inline uint32_t *replay_row(const struct replay *c, uint32_t txn)
{
    return c->w->clock + (size_t)txn * c->w->width;
}

/* visibility_settle.c.  Could the read have seen the version? */
bool replay_could_see(const struct replay *c, uint32_t read, uint32_t version);
/* Can the transaction at hand run now?  True: its reads have their sources, and (CC, PSI) c->states
 * begins with its clock. */
bool replay_settle(struct replay *c);

#endif
