/* From a history to the problem that the engine solves: which transactions count, which write each
 * read saw, and the anomalies that need no order.
 *
 * Transactions that count are numbered 0 … n-1 so that those of a session are consecutive and in
 * session order; everything that follows leans on that: the transactions of session s are
 * [chain[s], chain[s + 1]), and an array sorted by transaction is sorted by session as well.
 *
 * A *version* is the final write of a transaction to a key.  Versions are numbered key by key; the
 * first of each key is the initial version, written by PROB_INIT, the others follow sorted by
 * transaction.  A read points to the version it saw, or is a *choice* among several. */
#ifndef CHECK_PROBLEM_MATCH_H
#define CHECK_PROBLEM_MATCH_H

#include "check/problem/question.h"
#include "history/lower/diagram.h"
#include "check/problem/duplicate_values.h"
#include "history/history.h"

#define PROB_INIT UINT32_MAX   /* the transaction of initial versions */
#define PROB_CHOICE (1u << 31) /* prob.rd_ver: PROB_CHOICE | index of a choice */

struct match_choice {
    uint32_t read;       /* index in rd_* */
    uint32_t start, len; /* candidates still possible: cand[start … start + len), versions */
    uint32_t all;        /* those found impossible follow, up to start + all */
    uint32_t settled;    /* how many edges the graph had when only one was left */
};

/* A candidate that was found to be impossible. */
struct match_drop {
    uint32_t choice, version;
    uint32_t aggregate; /* because of this aggregate, or HIST_NONE: because of the graph … */
    uint32_t edges;     /* … which had so many edges */
};

/* An aggregate over reads that are choices; see aggregate.h. */
struct aggregate_row {
    uint32_t read;
    uint32_t values; /* of prob.aggregate_values: by version of the row's key, from its first */
    /* What it may contribute besides, whatever the read saw: at any time, or if the read `turned`
     * (HIST_NONE: there is none) saw another version than the initial one. */
    struct diagram_option besides;
    bool free;
    uint32_t turned;
};
struct aggregate {
    uint32_t predicate;   /* of the history */
    uint32_t start, rows; /* of prob.aggregate_rows; at least one */
    struct pred_sum own;  /* rows that the transaction had written itself */
};

struct prob {
    const struct history *h;
    struct level level;

    uint32_t n, sessions;
    uint32_t *chain;   /* sessions + 1 */
    uint32_t *session; /* per transaction */
    uint32_t *hist;    /* per transaction: its index in the history */
    uint8_t *maybe;    /* per transaction: may or may not have happened; NULL if none is so */

    uint32_t keys, versions;
    uint32_t *ver_start; /* keys + 1 */
    uint32_t *ver_txn, *ver_op, *ver_key;

    uint32_t *wr_start; /* n + 1: the versions that a transaction wrote */
    uint32_t *wr_ver;

    uint32_t *rd_start; /* n + 1: the external reads of a transaction, one for each key */
    uint32_t *rd_key, *rd_ver, *rd_op;

    uint32_t *rdr_start; /* versions + 1: the reads of a version; choices are not counted */
    uint32_t *rdr;       /* read indices */
    uint32_t *rd_txn;    /* per read */

    VEC(struct match_choice) choices;
    VEC(uint32_t) cand;

    VEC(struct aggregate) aggregates;
    VEC(struct aggregate_row) aggregate_rows;
    VEC(struct diagram_option) aggregate_values;
    /* With aggregates: the candidates that saturation dropped, oldest first. */
    VEC(struct match_drop) drops;

    /* Version order known beforehand (lists, white-box histories): from is older than to, if both
     * happened. */
    VEC(struct hist_pair) known;
    /* Lists: the version before each, the last that a read shows for all those that none shows;
     * NULL if there are no lists.  match_list_order turns it into `known`. */
    uint32_t *ver_prev;
    bool grouped;      /* some reads are rows of one read (match_read_end) */
    bool hidden_pairs; /* some list has several versions that no read shows, in an open order */
    bool only_lists;   /* no register is ever written, and no version order came from outside */

    struct duplicates
        duplicates; /* match_build failed because it has to be told: see duplicate_values.h */
};

/* Fill *p.  If an anomaly of single operations rules the level out, *r holds the violation (or an
 * UNKNOWN, if the history is outside of what we decide) and false is returned; or p->duplicates has
 * keys. */
bool match_build(const struct history *h, const struct check_options *o, struct prob *p,
                 struct check_result *r);
void match_free(struct prob *p);
void match_list_order(struct prob *p);

/* Are reads r - 1 and r of one transaction rows of one read? */
static inline bool match_same_read(const struct prob *p, uint32_t r)
{
    for (uint32_t op = p->rd_op[r]; op > p->rd_op[r - 1]; op--)
        if (!(p->h->ops.data[op].flags & HIST_OP_SAME_READ))
            return false;
    return true;
}
/* Where the rows of the read that read r begins end; `end`: where its transaction's reads do. */
static inline uint32_t match_read_end(const struct prob *p, uint32_t r, uint32_t end)
{
    for (r++; p->grouped && r < end && match_same_read(p, r);)
        r++;
    return r;
}
/* Of the versions [from, end) of one key, the initial one not among them, the first that no
 * transaction below `txn` wrote, or `end`: they stand in the order of their transactions. */
static inline uint32_t match_first_from(const struct prob *p, uint32_t from, uint32_t end,
                                        uint32_t txn)
{
    while (from < end) {
        uint32_t mid = from + (end - from) / 2;
        if (p->ver_txn[mid] < txn)
            from = mid + 1;
        else
            end = mid;
    }
    return from;
}
static inline uint32_t match_pos(const struct prob *p, uint32_t txn)
{
    return txn - p->chain[p->session[txn]];
}

#endif
