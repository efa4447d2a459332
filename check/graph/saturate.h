/* Saturation: derive every order between two versions that has only one possible direction.
 *
 * For versions a and b of a key, "a before b" brings the edge a→b and, for every reader T of a, the
 * edge T→b.  If one of these would close a cycle with the known edges, b is before a.  With vector
 * clocks over chains, only the latest (or first) writer of each chain has to be examined. */
#ifndef CHECK_GRAPH_SATURATE_H
#define CHECK_GRAPH_SATURATE_H

#include "base/budget.h"
#include "check/graph/polygraph.h"

enum saturate_outcome {
    SATURATE_FIXPOINT,  /* nothing more follows */
    SATURATE_CYCLE,     /* the known edges have a cycle */
    SATURATE_NO_SOURCE, /* the read g->p->choices.data[*witness] has no possible source left */
    SATURATE_NO_RESULT, /* no candidates are left that give g->p->aggregates.data[*witness] */
    SATURATE_STOPPED    /* a limit is reached, or the budget is over */
};

/* Needs g->order (pg_sort).  Settles choices on the way where only one candidate is left.  Without
 * derive only the clocks are computed. */
enum saturate_outcome saturate(struct pg *g, bool derive, struct budget *b, struct stats *stats,
                               uint32_t *witness);
/* Bytes that the clocks take. */
size_t saturate_memory(const struct pg *g);

/* The latest version in group `i` of the key that one of the first `count` transactions of its
 * session wrote, but not `except`; HIST_NONE if there is none. */
uint32_t saturate_latest(const struct pg *g, uint32_t key, uint32_t i, uint32_t count,
                         uint32_t except);
/* After saturate: is version a surely older than b, by any path? */
bool saturate_older(const struct pg *g, uint32_t a, uint32_t b);

#endif
