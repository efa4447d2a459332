/* The residual: what saturation left undecided, as a problem for a solver.  There is a variable for
 * each pair of versions without a known order, for each possible source of a read whose writer is
 * still a choice, and for each transaction of unknown outcome. */
#ifndef CHECK_GRAPH_RESIDUAL_H
#define CHECK_GRAPH_RESIDUAL_H

#include "check/solver/backend.h"
#include "check/graph/polygraph.h"

/* What it means that a variable is true. */
enum residual_kind {
    RESIDUAL_ORDER,    /* version a is older than version b */
    RESIDUAL_SOURCE,   /* read a saw version b */
    RESIDUAL_HAPPENED, /* transaction a counts */
    RESIDUAL_BOTH,     /* both literals a and b: an auxiliary variable */
    RESIDUAL_AGGREGATE /* a part of aggregate a: an auxiliary variable that is on no edge */
};
struct residual_var {
    enum residual_kind kind;
    uint32_t a, b;
    bool
        /* RESIDUAL_ORDER: false does not mean that b is older than a, as one may not have
         * happened. */
        one_way;
};

/* A pair of versions without a known order; `place` is where the later one stands in the guess. */
struct residual_pair {
    uint32_t place, a, b;
};

struct residual {
    struct pg *g;
    struct backend_problem problem;
    VEC(struct residual_var) vars;
    VEC(struct edge) edges; /* by the tag of edges that have a literal */
    VEC(struct residual_pair) open_pairs;
    struct map pairs;            /* two versions, the smaller first, to variable */
    struct map known;            /* recorded orders: two versions, the older first */
    struct map choice_clause;    /* the clause "the read has a source", to its choice */
    struct map sources;          /* read and version to literal; only with aggregates */
    uint32_t *aggregate_clauses; /* per aggregate: its first clause; one more at the end; or NULL */
    bool loose;                  /* some aggregate was too large and has no clauses */
    /* Per version: it is a candidate of a read that is still a choice. */
    uint8_t *candidate;
    uint32_t *place;    /* per node: position in the guess */
    uint32_t *happened; /* per transaction: literal, for maybes */
    sat_lits scratch;
    uint64_t limit; /* more variables than this are refused */
    bool too_many;
};

/* guess: all nodes, agreeing with the known edges.  The clocks must be there (saturate). */
void residual_build(struct residual *x, struct pg *g, const uint32_t *guess, uint64_t limit);
void residual_free(struct residual *x);

/* The label of an edge of the problem.  *age: how many edges the graph had with this one when the
 * edge was derived; 0: the problem itself shows the edge; HIST_NONE: the edge depends on a
 * literal. */
struct edge residual_edge(const struct residual *x, uint32_t edge, uint32_t *age);

#endif
