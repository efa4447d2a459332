/* The polygraph: the known order of a problem's transactions, and the orders still undecided.
 *
 * One engine, three node maps (docs/semantics: Histories).  Every transaction t has a begin node
 * B(t) and a commit node C(t):
 *
 *   SER   B(t) = C(t) = t         wr, ww, rw: node to node
 *   SI    B = 2t, C = 2t + 1      B→C; so, wr, ww: C→B; rw: B→C
 *   PC    B = 2t, C = 2t + 1      the same, but ww: C→C
 *
 * (SI: Zhang et al., Viper, EuroSys 2023, section 4: BC-polygraphs.)  Real-time order adds a chain
 * of helper nodes, one for each distinct time, so that a linear number of edges is enough.
 *
 * The nodes of a session form a chain, so vector clocks (clocks.h) answer reachability: clock(u)[c]
 * is how many nodes of chain c, counted from its start, are u or are known to come before u.  So a
 * reaches b iff clock(b)[chain(a)] > pos(a).
 *
 * Edges that the problem itself shows (session order, reads) are not stored.  All others are in
 * `edges`, oldest first: an edge follows from older edges only, so explain.c can find out later why
 * the edge is there. */
#ifndef CHECK_GRAPH_POLYGRAPH_H
#define CHECK_GRAPH_POLYGRAPH_H

#include "check/graph/clocks.h"
#include "check/problem/groups.h"
#include "check/problem/labelled_edge.h"

enum pg_map { PG_SER, PG_SI, PG_PC };

/* An edge in the list of those that leave its tail. */
struct pg_link {
    struct edge edge;
    uint32_t next; /* index of the next edge that leaves the same node, or HIST_NONE */
};

/* A real-time edge that counts only if the transaction `txn` happened. */
struct pg_maybe_time {
    uint32_t from, to, txn;
};

struct pg {
    struct prob *p;
    enum pg_map map;
    uint32_t nodes, txn_nodes; /* helper nodes from txn_nodes on */
    uint32_t chains;
    uint32_t *chain, *pos; /* per node */
    struct clocks clocks;  /* of the nodes; empty until saturate */

    /* The transactions that read from each transaction, as far as known from the start:
     * [read_start[t], read_start[t] + read_count[t]) of read_by, ascending, each once. */
    uint32_t *read_start, *read_count, *read_by;

    VEC(struct pg_link) edges;
    VEC(struct pg_maybe_time) maybe_times;
    uint32_t *out; /* per node: first of its edges, or HIST_NONE */
    /* How many of the first edges come from time stamps and known version orders. */
    uint32_t known_edges;
    VEC(uint32_t) rounds; /* how many edges there were when each round of saturation began */

    struct groups groups;

    /* The versions of each key sorted by rank, or NULL; see ranked_versions.h. */
    bool always_ranked;
    uint32_t *line, *place; /* place: per version, its index in `line` */
    uint8_t *settled;       /* per version: all versions before it in `line` are older */

    /* Reads whose choice has been settled: the readers of a version that prob.rdr does not have. */
    uint32_t *late_head, *late_next; /* per version, per read; NULL if there are no choices */

    uint32_t *order, *rank; /* a topological order of the nodes, as last computed */
    uint32_t *degree;       /* scratch */
    VEC(uint32_t) scratch;
};

/* drift: time stamps that differ by no more than this prove no order. */
void pg_init(struct pg *g, struct prob *p, int64_t drift);
void pg_free(struct pg *g);

static inline uint32_t pg_begin(const struct pg *g, uint32_t txn)
{
    return g->map == PG_SER ? txn : 2 * txn;
}
static inline uint32_t pg_commit(const struct pg *g, uint32_t txn)
{
    return g->map == PG_SER ? txn : 2 * txn + 1;
}
static inline uint32_t pg_txn(const struct pg *g, uint32_t node)
{
    return g->map == PG_SER ? node : node / 2;
}
/* The node to which an edge leads that says "a version is older than that of `txn`". */
static inline uint32_t pg_ww_head(const struct pg *g, uint32_t txn)
{
    return g->map == PG_PC ? pg_commit(g, txn) : pg_begin(g, txn);
}
static inline bool pg_reaches(const struct pg *g, uint32_t a, uint32_t b)
{
    return clocks_entry(&g->clocks, b, g->chain[a]) > g->pos[a];
}

/* Add an edge; it is not checked for duplicates or cycles. */
void pg_add_edge(struct pg *g, struct edge e);
/* The heads of all edges that leave the node, into g->scratch. */
void pg_successors(struct pg *g, uint32_t node);
/* Topological order into order and rank.  False: there is a cycle, and order holds the nodes that
 * are neither on a cycle nor reachable from one. */
bool pg_sort(struct pg *g);
/* g->degree: how many edges lead to each node. */
void pg_count_degrees(struct pg *g);
/* Add the edges of the known version orders and those that follow directly: from each version, and
 * from its readers, to the next version. */
void pg_add_known(struct pg *g);

/* The readers of a version, those of prob.rdr first, then those whose choice has been settled: r =
 * pg_readers(g, v), then pg_next_reader until it gives HIST_NONE. */
struct pg_readers {
    const uint32_t *at, *end;
    uint32_t late;
};
static inline struct pg_readers pg_readers(const struct pg *g, uint32_t v)
{
    const struct prob *p = g->p;
    return (struct pg_readers){p->rdr + p->rdr_start[v], p->rdr + p->rdr_start[v + 1],
                               g->late_head ? g->late_head[v] : HIST_NONE};
}
/* The next read, or HIST_NONE. */
static inline uint32_t pg_next_reader(const struct pg *g, struct pg_readers *i)
{
    if (i->at < i->end)
        return *i->at++;
    uint32_t r = i->late;
    if (r != HIST_NONE)
        i->late = g->late_next[r];
    return r;
}

#endif
