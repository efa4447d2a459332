/* What the saturate*.c files share. */
#ifndef CHECK_GRAPH_SATURATE_INTERNAL_H
#define CHECK_GRAPH_SATURATE_INTERNAL_H

#include "check/graph/saturate.h"

/* The last answer about a group of versions: `txn` wrote `ver`, `next` writes the version after it.
 * Questions come nearly in order, so the answer mostly is the same or the next one, and these few
 * words are all that has to be read. */
struct near {
    uint32_t chain;
    uint32_t ver; /* HIST_NONE: before the first */
    uint32_t txn, next;
    uint32_t rank; /* of the commit of txn */
};

struct saturation {
    struct pg *g;
    struct budget *budget;
    struct near *near; /* per group */
    uint8_t *dirty;
    uint32_t at; /* position in g->order */
    bool behind; /* a node at or before `at` became dirty */
    bool stale;  /* an edge was added that g->order does not agree with */
    bool cycle;
    bool overlooked; /* see look_again */
    bool derive;     /* apply the rules */
    /* Rule R2: groups that have a candidate; with ranked versions: versions. */
    VEC(uint32_t) latest;
    /* Per aggregate: how many candidates it had at the last look; and with more candidates than how
     * many its diagram is taken to be too large. */
    uint64_t *aggregate_left, *aggregate_most;
};

/* saturate.c.  touch: the clock of node u changed.  flow: hand the clock on along an edge. */
void saturate_touch(struct saturation *s, uint32_t u);
void saturate_flow(struct saturation *s, uint32_t from, uint32_t to);
/* How many transactions of a chain have committed at or before a node whose clock has this
 * entry. */
static inline uint32_t saturate_commits(const struct pg *g, uint32_t entry)
{
    return g->map == PG_SER ? entry : entry / 2;
}

/* saturate_choices.c: drop candidates that became impossible, and settle reads with one left.
 * False: the read, or the aggregate, *witness has no possible candidates left. */
bool saturate_choices(struct saturation *s, uint32_t *witness);
bool saturate_aggregates(struct saturation *s, uint32_t *witness);

#endif
