/* What saturation left open, as a problem for a solver: one variable for each pair of versions
 * without a known order, one for each possible source of a read whose writer is still a choice,
 * and for each transaction of which it is not known whether it happened. */
#ifndef CHECK_GRAPH_RESIDUAL_H
#define CHECK_GRAPH_RESIDUAL_H

#include "check/solver/backend.h"
#include "check/graph/polygraph.h"

/* What a variable, true, says. */
enum residual_kind {
    RESIDUAL_ORDER,    /* version a is older than version b */
    RESIDUAL_SOURCE,   /* read a saw version b */
    RESIDUAL_HAPPENED, /* transaction a counts */
    RESIDUAL_BOTH,     /* the conjunction of two literals, a and b: not a choice of its own */
    RESIDUAL_AGGREGATE /* a part of aggregate a: not a choice of its own, and not on any edge */
};
struct residual_var {
    enum residual_kind kind;
    uint32_t a, b;
    bool
        one_way; /* RESIDUAL_ORDER: false does not say that b is older than a (one may not count) */
};

/* What an edge stands for, like pg_edge. */
struct residual_edge {
    uint32_t why, a, b; /* enum pg_why */
};
/* Tags of fixed edges: the kind in the two upper bits. */
enum residual_fixed { RESIDUAL_DERIVED, RESIDUAL_READ, RESIDUAL_CHAIN, RESIDUAL_INSIDE };
#define RESIDUAL_TAG(kind, index) ((uint32_t)(kind) << 30 | (index))

/* An open pair of versions, and where in the guess the later one stands. */
struct residual_pair {
    uint32_t place, a, b;
};

struct residual {
    struct pg *g;
    struct backend_problem problem;
    VEC(struct residual_var) vars;
    VEC(struct residual_edge) edges; /* by the tag of edges that have a literal */
    VEC(struct residual_pair) open_pairs;
    struct map pairs;            /* two versions, the smaller first, to variable */
    struct map known;            /* orders on record: two versions, the older first */
    struct map choice_clause;    /* clause that a read has a source, to its choice */
    struct map sources;          /* read and version to literal; only with aggregates */
    uint32_t *aggregate_clauses; /* per aggregate, and one more: its first clause; or NULL */
    bool loose;                  /* some aggregate was too large and has no clauses */
    uint8_t *candidate;          /* per version: of a read that is still a choice */
    uint32_t *place;             /* per node: position in the guess */
    uint32_t *happened;          /* per transaction: literal, for maybes */
    sat_lits scratch;
    uint64_t limit; /* more variables than this are refused */
    bool too_many;
};

/* guess: all nodes, agreeing with the known edges.  The clocks must be there (saturate). */
void residual_build(struct residual *x, struct pg *g, const uint32_t *guess, uint64_t limit);
void residual_free(struct residual *x);

#endif
