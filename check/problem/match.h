/* From a history to the problem that the engine solves: which transactions count, which write each
 * read saw, and the anomalies that need no order.
 *
 * The transactions that count are numbered 0 … n-1 so that those of a session are consecutive and
 * in session order: the transactions of session s are [chain[s], chain[s + 1]).  Everything that
 * follows relies on this; an array sorted by transaction is sorted by session as well.
 *
 * A *version* is the final write of a transaction to a key.  Versions are numbered key by key; the
 * first of each key is the initial version, written by PROB_INIT, the others follow sorted by
 * transaction.  A read points to the version that it saw, or is a *choice* among several. */
#ifndef CHECK_PROBLEM_MATCH_H
#define CHECK_PROBLEM_MATCH_H

#include "check/problem/question.h"
#include "history/lower/aggregate_diagram.h"
#include "check/problem/duplicate_values.h"
#include "history/history.h"

#define PROB_INIT UINT32_MAX   /* the transaction of initial versions */
#define PROB_CHOICE (1u << 31) /* prob.rd_ver: PROB_CHOICE | index of a choice */

struct match_choice {
    uint32_t read;       /* index in rd_* */
    uint32_t start, len; /* the versions that are still possible: cand[start … start + len) */
    uint32_t all;        /* the versions found impossible follow them, up to start + all */
    uint32_t settled;    /* how many edges the graph had when only one candidate was left */
};

/* A candidate that was found to be impossible. */
struct match_drop {
    uint32_t choice, version;
    uint32_t aggregate; /* the aggregate that ruled it out; HIST_NONE: the graph did, */
    uint32_t edges;     /* which had this many edges */
};

/* An aggregate over reads that are choices; see aggregate.h. */
struct aggregate_row {
    uint32_t read;
    uint32_t values; /* index in prob.aggregate_values: one for each version of the row's key */
    /* The value that the row may contribute instead, whatever its read saw.  `free`: always; else
     * only if the read `turned` (HIST_NONE: never) saw another version than the initial one. */
    struct diagram_option besides;
    bool free;
    uint32_t turned;
};
struct aggregate {
    uint32_t predicate;   /* of the history */
    uint32_t start, rows; /* of prob.aggregate_rows; at least one */
    struct pred_sum own;  /* the part of rows that the transaction had written itself */
};

struct prob {
    const struct history *h;
    struct level level;

    uint32_t n, sessions;
    uint32_t *chain;   /* sessions + 1 */
    uint32_t *session; /* per transaction */
    uint32_t *hist;    /* per transaction: its index in the history */
    uint8_t *maybe;    /* per transaction: it may or may not have happened; NULL: all happened */

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

    /* Version orders known beforehand (lists, white-box histories): `from` is older than `to`, if
     * both happened. */
    VEC(struct hist_pair) known;
    /* Lists: the version before each version; for those that no read shows, the last version that
     * one shows.  NULL if there are no lists.  match_list_order turns it into `known`. */
    uint32_t *ver_prev;
    bool grouped;      /* some reads are rows of one read (match_read_end) */
    bool hidden_pairs; /* some list has several versions that no read shows, in unknown order */
    bool only_lists;   /* no register is ever written, and no version order came from outside */

    struct duplicates
        /* Not empty: match_build failed because of duplicate values in lists
         * (duplicate_values.h). */
        duplicates;
};

/* Fill *p.  False: *r holds a violation by single operations, or an UNKNOWN if the history is
 * outside of what can be decided; or p->duplicates has keys, and a choice has to be made for
 * them. */
bool match_build(const struct history *h, const struct check_options *o, struct prob *p,
                 struct check_result *r);
void match_free(struct prob *p);
void match_list_order(struct prob *p);

/* Do reads r - 1 and r of one transaction belong to the same read, as two of its rows? */
static inline bool match_same_read(const struct prob *p, uint32_t r)
{
    for (uint32_t op = p->rd_op[r]; op > p->rd_op[r - 1]; op--)
        if (!(p->h->ops.data[op].flags & HIST_OP_SAME_READ))
            return false;
    return true;
}
/* Reads r, r + 1, … may be rows of one read: the index after its last row.  `end` is the end of the
 * transaction's reads. */
static inline uint32_t match_read_end(const struct prob *p, uint32_t r, uint32_t end)
{
    for (r++; p->grouped && r < end && match_same_read(p, r);)
        r++;
    return r;
}
/* The first row of the read that row r is of; `start` is the start of the transaction's reads. */
static inline uint32_t match_read_start(const struct prob *p, uint32_t r, uint32_t start)
{
    while (p->grouped && r > start && match_same_read(p, r))
        r--;
    return r;
}
/* The first of the versions [from, end) of one key, none of them the initial one, whose transaction
 * is `txn` or later; `end` if there is none.  Versions are sorted by transaction. */
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
