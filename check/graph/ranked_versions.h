/* The versions of a key in a line, by the rank of their transactions, for histories with so many
 * chains that asking each chain for its latest version (saturate.c) is asking nearly every version.
 *
 * Versions far apart in the line are nearly always known to be in this order.  A version is
 * *settled* if all versions before it in the line are known to be older; whoever walks back along
 * the line may stop at a settled version that is older than its own. */
#ifndef CHECK_GRAPH_RANKED_VERSIONS_H
#define CHECK_GRAPH_RANKED_VERSIONS_H

#include "check/graph/polygraph.h"

/* Is it worth it? */
bool ranked_wanted(const struct pg *g);
/* Sort by the present ranks.  What was settled stays so up to where a line has changed. */
void ranked_sort(struct pg *g);
void ranked_free(struct pg *g);

/* The node whose rank sorts a version: a version can only be older than another if this node
 * reaches the other's commit (saturate_older). */
static inline uint32_t ranked_node(const struct pg *g, uint32_t v)
{
    uint32_t t = g->p->ver_txn[v];
    return g->map == PG_SI ? pg_begin(g, t) : pg_commit(g, t);
}

#endif
