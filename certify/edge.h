/* The labelled edge: one dependency between two transactions, with the operations that show it.
 *
 * Cycles in verdicts and certificates are made of these edges. */
#ifndef CERTIFY_EDGE_H
#define CERTIFY_EDGE_H

#include <stdint.h>

enum check_edge_kind {
    CHECK_SO, /* from precedes to in its session */
    CHECK_RT, /* from ended before to began (or as the level's real-time rule says) */
    CHECK_WR, /* to read what from wrote */
    CHECK_WW, /* to overwrote what from wrote */
    CHECK_RW  /* to overwrote what from read */
};
const char *check_edge_name(enum check_edge_kind k); /* "so", "wr", … */

enum check_rt { CHECK_COMMIT_BEGIN, CHECK_COMMIT_COMMIT, CHECK_BEGIN_COMMIT };

/* Transactions and operations are indices of the history.  HIST_NONE as from_op: the initial
 * version.  WR: write, read.  WW: write, write.  RW: read, later write; `via` is the write that the
 * read saw (HIST_NONE: the initial version).
 *
 * RT: `via` is an enum check_rt.
 *
 * `because`: WR, WW and RW edges may rest on a choice, which of two versions is older or which of
 * several equal writes a read saw: then it is the index in result.cases of the case that settled
 * it, else HIST_NONE: the history alone says so. */
struct check_edge {
    enum check_edge_kind kind;
    uint32_t from, to;
    uint32_t key;
    uint32_t from_op, to_op, via;
    uint32_t because;
};

#endif
