/* The versions of each key, sorted by the rank of their transactions: for histories with so many
 * chains that asking each chain for its latest version (saturate.c) would ask for nearly every
 * version.
 *
 * Versions that are far apart in this line are nearly always known to be in its order.  A version
 * is *settled* if all versions before it in the line are known to be older.  A walk back along the
 * line may therefore stop at a settled version that is older than the version it started from. */
#ifndef CHECK_GRAPH_RANKED_VERSIONS_H
#define CHECK_GRAPH_RANKED_VERSIONS_H

#include "check/graph/polygraph.h"

/* Are there enough chains for sorted versions to pay? */
bool ranked_wanted(const struct pg *g);
/* Sort by the present ranks.  Settled versions stay settled up to the first change in a line. */
void ranked_sort(struct pg *g);
void ranked_free(struct pg *g);

/* The node by whose rank a version is sorted.  A version can only be older than another if this
 * node reaches the other's commit (saturate_older). */
static inline uint32_t ranked_node(const struct pg *g, uint32_t v)
{
    uint32_t t = g->p->ver_txn[v];
    return g->map == PG_SI ? pg_begin(g, t) : pg_commit(g, t);
}

#endif
