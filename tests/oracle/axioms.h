/* Inside the oracle: an execution under construction, and the axioms as functions on it.
 *
 * Executions grow in ar order: transaction after transaction is placed behind all placed ones, with
 * the set of placed ones that it sees.  So vis ⊆ ar holds by construction, and every axiom can be
 * checked when its later transaction is placed.  Sets of transactions and of rows are bit masks. */
#ifndef TESTS_ORACLE_AXIOMS_H
#define TESTS_ORACLE_AXIOMS_H

#include "tests/oracle/oracle.h"

/* What sessions and clocks ask of each transaction. */
struct orc_orders {
    uint32_t ar_before[ORC_TXNS]; /* these precede it in ar */
    uint32_t see[ORC_TXNS];       /* these it sees */
    uint32_t hide[ORC_TXNS];      /* these it does not see */
    uint32_t dep[ORC_TXNS];       /* these precede it in so (and strict real time) */
};

struct orc_exec {
    int n_placed;
    int at[ORC_TXNS];           /* in ar order */
    uint32_t placed;            /* the same as a set */
    uint32_t vis[ORC_TXNS];     /* by transaction */
    uint32_t reads[ORC_TXNS];   /* rows read externally */
    uint32_t writes[ORC_TXNS];  /* rows written */
    uint32_t touches[ORC_TXNS]; /* rows written or locked */
};

static inline bool orc_has(uint32_t set, int i)
{
    return set >> i & 1;
}

static inline bool orc_subset(uint32_t a, uint32_t b)
{
    return !(a & ~b);
}

/* Adds "s comes before t" in a session (or in strict real time) to the orders. */
void orc_orders_add(struct orc_orders *o, const struct orc_rules *rules, int s, int t);

/* May t, which comes next in ar, see exactly the set v of placed transactions?  All axioms that do
 * not depend on what t writes.  For RC and RCS: may v be one of its visible sets? */
bool orc_may_see(const struct orc_exec *x, const struct orc_rules *rules,
                 const struct orc_orders *o, bool mixed, int t, uint32_t v);
/* NOCONFLICT for t, which sees v and whose x->touches[t] is known. */
bool orc_no_conflict(const struct orc_exec *x, enum orc_level level, int t, uint32_t v);
/* EXT: the transaction of v whose write of the row t reads, or -1 for the initial value. */
int orc_ext_writer(const struct orc_exec *x, uint32_t v, int row);
/* The dependencies among the SER transactions (a set) are acyclic. */
bool orc_ser_acyclic(const struct orc_exec *x, const struct orc_orders *o, uint32_t ser);
/* Is SER to be judged by the definition for mixed levels?  n transactions. */
bool orc_is_mixed(const struct orc_rules *rules, int n);
/* Operation i of t, a predicate read with a version set: are the results those of the set, and does
 * a snapshot of v show what the set shows? */
bool orc_right_set(const struct orc_history *h, const struct orc_exec *x, int t, int i, uint32_t v);
void orc_place(struct orc_exec *x, int t, uint32_t v);

#endif
