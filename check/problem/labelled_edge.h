/* The labelled edge {from, to, kind, why} of every graph of the engine: the polygraph, the
 * residual, explanations, and the cycles of the levels that visibility decides.
 *
 * The ends are nodes of the graph.  The label is in terms of the problem, and edge_told says it in
 * terms of the history: certify/edge.h, which is what verdicts and certificates show.  The kinds
 * are the same in both.  (Only the solver's theory keeps bare pairs of nodes with a literal,
 * acyclic.h: it looks at little else than the ends of millions of edges, and leaves the label to
 * its caller.)
 */
#ifndef CHECK_PROBLEM_LABELLED_EDGE_H
#define CHECK_PROBLEM_LABELLED_EDGE_H

#include "check/problem/match.h"

/* From the begin of a transaction to its commit; no verdict shows such an edge. */
#define EDGE_INSIDE (CHECK_RW + 1)

/* a and b are the reason:
 *   CHECK_SO      the transactions a and b, b the next one in a's chain
 *   CHECK_RT      neither is used
 *   CHECK_WR      read a saw version b
 *   CHECK_WW      version a is older than version b
 *   CHECK_RW      read a saw a version older than version b
 *   EDGE_INSIDE   neither is used */
struct edge {
    uint32_t from, to;
    uint32_t a;
    uint32_t b : 29, kind : 3; /* enum check_edge_kind, or EDGE_INSIDE */
};

/* A WR, WW or RW edge in terms of the history.  `seen` is the version that the read saw; WW does
 * not use it.  `because` is a case of the result, or HIST_NONE. */
struct check_edge edge_told(const struct prob *p, const struct edge *e, uint32_t seen,
                            uint32_t because);
/* Session order between two transactions of the problem. */
struct check_edge edge_of_session(const struct prob *p, uint32_t from, uint32_t to);

#endif
