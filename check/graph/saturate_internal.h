/* What the saturate*.c files share. */
#ifndef CHECK_GRAPH_SATURATE_INTERNAL_H
#define CHECK_GRAPH_SATURATE_INTERNAL_H

#include "check/graph/saturate.h"

/* Where the last question about a group of versions was answered: `txn` wrote `ver`, `next` writes
 * the version after it.  Questions come nearly in order, so the answer mostly is the same or the
 * next one, and these few words are all that has to be looked at. */
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
    bool overlooked;      /* see look_again */
    bool lower;           /* apply the rules */
    VEC(uint32_t) latest; /* R2: groups that have a candidate; along lines: versions */
    /* Per aggregate: how many candidates it had when last looked at; with more than so many it is
     * too large. */
    uint64_t *aggregate_left, *aggregate_most;
};

/* saturate.c: the clock of a node changed; a clock is handed on along an edge. */
void saturate_touch(struct saturation *s, uint32_t u);
void saturate_flow(struct saturation *s, uint32_t from, uint32_t to);
/* How many transactions of a chain have their commit at or before a node with this entry.
 */
static inline uint32_t saturate_commits(const struct pg *g, uint32_t entry)
{
    return g->map == PG_SER ? entry : entry / 2;
}

/* saturate_choices.c: drop candidates that became impossible, settle reads with one left.  False:
 * none is left; some aggregate cannot be had any more. */
bool saturate_choices(struct saturation *s, uint32_t *witness);
bool saturate_joints(struct saturation *s, uint32_t *witness);

#endif
