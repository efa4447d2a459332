/* What the files generate*.c share: random numbers, the choice of keys, the simulated store. */
#ifndef HISTORY_GENERATE_GENERATE_INTERNAL_H
#define HISTORY_GENERATE_GENERATE_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "history/generate/generate.h"

/* --- random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) ------------------------- */

struct gen_random {
    uint64_t state;
};

static inline uint64_t gen_next(struct gen_random *r)
{
    return hash_u64(r->state += 0x9e3779b97f4a7c15u);
}

/* Below n; the bias of one in 2^32 does not matter here. */
static inline uint32_t gen_below(struct gen_random *r, uint32_t n)
{
    return (uint32_t)(((gen_next(r) >> 32) * n) >> 32);
}

/* True with probability p. */
static inline bool gen_chance(struct gen_random *r, double p)
{
    return (double)(gen_next(r) >> 11) * 0x1p-53 < p;
}

/* --- keys ------------------------------------------------------------------------------------ */

struct gen_keys {
    enum gen_distribution distribution;
    uint32_t count, hot;
    uint64_t *cumulative; /* zipf: how many of 2^53 choices fall on this key or one before */
};

struct gen_keys gen_keys_new(enum gen_distribution d, uint32_t count);
uint32_t gen_key(const struct gen_keys *k, struct gen_random *r);
void gen_keys_free(struct gen_keys *k);

/* --- the store ------------------------------------------------------------------------------- */

/* A version: who wrote it (place: the site or session; number: which of its commits), its place in
 * the global order of commits (when), and the value; for lists, how many elements there are now. */
struct gen_version {
    int64_t value;
    uint32_t when, place, number;
};

struct gen_row {
    uint32_t key; /* in the history */
    VEC(struct gen_version) versions;
    VEC(int64_t) elements; /* lists */
    int64_t appended;      /* lists: the last value given out */
};

struct gen_op {
    uint32_t row;
    bool write;
    bool given;      /* the value comes from the script, not from the store */
    uint8_t read[4]; /* given: the script's numbers of what a read sees */
    uint8_t numbers;
    int64_t value; /* of a write */
};

typedef VEC(struct gen_op) gen_ops;

struct gen_session {
    gen_ops plan;
    uint32_t snapshot; /* how many commits it sees, at levels with prefix snapshots */
    uint32_t *sees;    /* how many commits of each place it sees, at the others */
    int64_t begin;     /* time */
};

typedef VEC(uint32_t) gen_log;

struct gen {
    const struct gen_options *o;
    struct history *h;
    struct gen_random random;
    struct gen_keys keys;
    VEC(struct gen_row) rows;
    /* lists: a key whose list is long is replaced by a new one. */
    uint32_t *row_of_slot;
    int64_t next_value, script_base, now; /* script_base: of the values of the anomaly */
    uint32_t commits, transactions;       /* commits so far; transactions of the history so far */
    struct gen_session *sessions;

    /* Levels without prefix snapshots: the places that make commits, and what each has heard of. */
    uint32_t places;
    uint32_t *made;  /* by place: commits */
    uint32_t *heard; /* places × places: heard[a * places + b] commits of b */
    gen_log *logs;   /* by place: the dependencies of its commits, `places` numbers each */
    VEC(int64_t) scratch;
};

/* A new row, outside the rows that are chosen at random. */
uint32_t gen_add_row(struct gen *g);
/* Plan a session's next transaction; take its snapshot. */
void gen_plan(struct gen *g, uint32_t session);
void gen_begin(struct gen *g, uint32_t session);
/* Write the transaction into the history and, if it commits, into the store. */
void gen_emit(struct gen *g, uint32_t session, enum hist_status status);
/* Run the transactions of the anomaly now. */
void gen_inject(struct gen *g, const struct gen_anomaly *a);

#endif
