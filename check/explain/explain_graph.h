/* The known graph for explanations: all edges with their meaning, in both directions, and cheapest
 * paths that use only edges older than a given one. */
#ifndef CHECK_EXPLAIN_EXPLAIN_GRAPH_H
#define CHECK_EXPLAIN_EXPLAIN_GRAPH_H

#include "check/graph/polygraph.h"

/* stamp: the edge's number in pg.edges, from 1; 0 for edges that the problem itself shows;
 * HIST_NONE for those that are supposed. */
struct eg_edge {
    struct edge edge;
    uint32_t stamp;
    uint16_t cost;
};
typedef VEC(struct eg_edge) eg_path;

struct eg {
    struct pg *g;
    struct eg_edge *edges;
    /* Edges are sorted by tail; in: indices of edges, by head. */
    uint32_t *out_start, *in_start, *in;
    size_t count;
    uint32_t *dist, *via, *mark, search; /* of the last search */
    VEC(uint64_t) heap;
    uint64_t work;
};

void eg_init(struct eg *e, struct pg *g);
void eg_free(struct eg *e);

/* Append the cheapest path over edges with stamp < limit to *out.  False: there is none. */
bool eg_path_find(struct eg *e, uint32_t from, uint32_t to, uint32_t limit, eg_path *out,
                  uint32_t *cost);
/* Compute the distances from (forward) or to (backward) a node, for eg_distance and eg_path_get:
 * those that are less than `bound`. */
void eg_search(struct eg *e, uint32_t node, bool forward, uint32_t limit, uint32_t bound);
uint32_t eg_distance(const struct eg *e, uint32_t node); /* UINT32_MAX: not reached */
void eg_path_get(const struct eg *e, uint32_t node, bool forward, eg_path *out);
/* A cheap cycle of the graph, which must have one. */
void eg_cycle(struct eg *e, eg_path *out);

#endif
