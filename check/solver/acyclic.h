/* The theory of acyclic graphs: some edges are always there, the others belong to literals and are
 * there when their literal is true.  No cycle is allowed.
 *
 * A topological order of all nodes is kept while edges come and go (Pearce and Kelly, A dynamic
 * topological sort algorithm for directed acyclic graphs, JEA 2007); a new edge that agrees with
 * the order costs nothing.  After SAT_YES the order is the certificate. */
#ifndef CHECK_SOLVER_ACYCLIC_H
#define CHECK_SOLVER_ACYCLIC_H

#include "check/solver/sat.h"

#define ACYCLIC_FIXED UINT32_MAX /* the literal of an edge that is always there */

struct acyclic_edge {
    uint32_t from, to;
    uint32_t lit;
    uint32_t tag; /* for the user */
};

struct acyclic;
/* `order`: the nodes in some order that agrees with all fixed edges.  Conflicts' cycles are kept if
 * keep_cycles (see acyclic_cycle). */
struct acyclic *acyclic_new(uint32_t nodes, const uint32_t *order, bool keep_cycles);
void acyclic_free(struct acyclic *a);
void acyclic_add_edge(struct acyclic *a, uint32_t from, uint32_t to, uint32_t lit, uint32_t tag);
/* After the last edge. */
void acyclic_start(struct acyclic *a, uint32_t vars);
/* … but for the one edge of a literal that came into being later and is not told. */
void acyclic_add_late(struct acyclic *a, uint32_t from, uint32_t to, uint32_t lit, uint32_t tag);
struct sat_theory acyclic_theory(struct acyclic *a);

/* Position of a node in the present order. */
uint32_t acyclic_rank(const struct acyclic *a, uint32_t node);
/* How much work the graph has been so far: the nodes that its searches met. */
uint64_t acyclic_steps(const struct acyclic *a);
/* The cycle of a conflict, by the tag that sat_core gives, as edges. */
size_t acyclic_cycle(const struct acyclic *a, uint32_t tag, const uint32_t **edges);
const struct acyclic_edge *acyclic_edge(const struct acyclic *a, uint32_t edge);

#endif
