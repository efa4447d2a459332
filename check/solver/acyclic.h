/* The theory of acyclic graphs: some edges are always present, the others are present while their
 * literal is true.  No cycle is allowed.
 *
 * A topological order of all nodes is maintained while edges come and go (Pearce and Kelly, A
 * dynamic topological sort algorithm for directed acyclic graphs, JEA 2007); a new edge that agrees
 * with the order costs nothing.  After SAT_YES the order is the certificate. */
#ifndef CHECK_SOLVER_ACYCLIC_H
#define CHECK_SOLVER_ACYCLIC_H

#include "check/solver/sat.h"

#define ACYCLIC_FIXED UINT32_MAX /* the literal of an edge that is always present */

struct acyclic_edge {
    uint32_t from, to;
    uint32_t lit;
    uint32_t tag; /* the caller's number for the edge */
};

struct acyclic;
/* `order`: the nodes in an order that agrees with all fixed edges.  keep_cycles: keep the cycles of
 * conflicts for acyclic_cycle. */
struct acyclic *acyclic_new(uint32_t nodes, const uint32_t *order, bool keep_cycles);
void acyclic_free(struct acyclic *a);
void acyclic_add_edge(struct acyclic *a, uint32_t from, uint32_t to, uint32_t lit, uint32_t tag);
/* Called after the last edge. */
void acyclic_start(struct acyclic *a, uint32_t vars);
/* After acyclic_start: add the one edge of a new literal that is not true yet. */
void acyclic_add_late(struct acyclic *a, uint32_t from, uint32_t to, uint32_t lit, uint32_t tag);
struct sat_theory acyclic_theory(struct acyclic *a);

/* Position of a node in the present order. */
uint32_t acyclic_rank(const struct acyclic *a, uint32_t node);
/* The work so far: the number of nodes that searches have visited. */
uint64_t acyclic_steps(const struct acyclic *a);
/* The edges of a conflict's cycle, by the tag that sat_core gives.  Returns their number. */
size_t acyclic_cycle(const struct acyclic *a, uint32_t tag, const uint32_t **edges);
const struct acyclic_edge *acyclic_edge(const struct acyclic *a, uint32_t edge);

#endif
