/* Solvers behind one interface: clauses over variables, and a graph whose edges are present always
 * or when a literal is true.  Find values that satisfy the clauses and leave the graph acyclic.
 *
 * The built-in solver (sat.h with acyclic.h) is the default; Z3 and MonoSAT serve as
 * cross-checks. */
#ifndef CHECK_SOLVER_BACKEND_H
#define CHECK_SOLVER_BACKEND_H

#include "base/arena.h"
#include "base/budget.h"
#include "check/solver/acyclic.h"
#include "base/stats.h"
#include "check/solver/sat.h"

enum backend_kind { BACKEND_BUILTIN, BACKEND_Z3, BACKEND_MONOSAT };

struct backend_options {
    enum backend_kind kind;
    const char *monosat_path; /* NULL: "libmonosat.so" */
    uint64_t seed;
    struct budget *budget;       /* of the built-in solver; NULL: endless */
    struct stats *stats;         /* or NULL */
    struct backend_z3_state *z3; /* BACKEND_Z3: kept from problem to problem; NULL: one for each */
};

/* Z3's state, which takes longer to create than a small problem takes to solve. */
struct backend_z3_state *backend_z3_new(void);
void backend_z3_free(struct backend_z3_state *z);

struct backend_problem {
    uint32_t nodes;
    const uint32_t *order; /* the nodes; agrees with the fixed edges; the first guess */
    VEC(struct acyclic_edge) edges;
    uint32_t vars;
    VEC(uint8_t) phase;  /* per variable: the value to try first */
    sat_lits lits, ends; /* clause i: lits[ends[i - 1] … ends[i]) */
};

struct backend_answer {
    enum sat_result result;
    const char *error; /* the solver is not installed or failed; result is SAT_STOPPED */
    uint8_t *value;    /* SAT_YES: per variable */
    uint32_t *order;   /* SAT_YES: the nodes in an order that agrees with all present edges */
    /* SAT_NO, built-in solver, if a core was asked for: clauses and cycles that are
     * contradictory. */
    sat_lits core_clauses;
    sat_lits core_edges, core_ends; /* cycle i: core_edges[core_ends[i - 1] … core_ends[i]) */
};

void backend_solve(const struct backend_problem *p, const struct backend_options *o, bool core,
                   struct backend_answer *out);
void backend_answer_free(struct backend_answer *a);
void backend_problem_free(struct backend_problem *p);

uint32_t backend_var(struct backend_problem *p, bool phase);
void backend_clause(struct backend_problem *p, const uint32_t *lits, size_t n);
void backend_edge(struct backend_problem *p, uint32_t from, uint32_t to, uint32_t lit,
                  uint32_t tag);

/* NULL if the solver is installed; else a message that says why not and what to do about it. */
const char *backend_missing(const struct backend_options *o, struct arena *messages);

/* --- between the files backend*.c ------------------------------------------------------------- */

/* The graph of a problem with all its edges, of which no literal is true yet. */
struct acyclic *backend_graph(const struct backend_problem *p, bool keep_cycles);

/* backend_lazy.c: a graph with the edges of an assignment. */
struct backend_layout {
    const struct backend_problem *p;
    struct acyclic *graph;
    struct sat_theory theory;
    sat_lits told, conflict;
};
typedef void backend_lemma(void *arg, const uint32_t *lits, size_t n, uint32_t tag);
void backend_layout_init(struct backend_layout *l, const struct backend_problem *p, bool cycles);
void backend_layout_clear(struct backend_layout *l);
void backend_layout_free(struct backend_layout *l);
/* Add the edges of all true literals.  An edge that would close a cycle is left out and gives a
 * lemma: a clause whose literals are all false under the assignment.  True: there was no cycle.
 * False also if a limit is reached. */
bool backend_lay_out(struct backend_layout *l, const uint8_t *value, backend_lemma *lemma,
                     void *arg);
/* The nodes in an order that agrees with all edges that were added. */
void backend_layout_order(const struct backend_layout *l, struct backend_answer *out);
/* Solve and lay out, at most so many times and within the budget.  The solver has no theory.
 * SAT_YES: value has the assignment, and it is laid out; SAT_STOPPED: not decided yet. */
enum sat_result backend_lazy(struct sat *s, struct backend_layout *l, uint32_t rounds,
                             struct budget *b, uint8_t *value);

/* The part of a problem that can be on a cycle: the strongly connected components of the graph with
 * every edge present, as a problem of its own with the same variables and clauses. */
void backend_core(const struct backend_problem *p, struct backend_problem *core);

/* The other solvers, for backend.c only.  They fill result, value and order. */
void backend_z3(const struct backend_problem *p, const struct backend_options *o,
                struct backend_answer *out);
void backend_monosat(const struct backend_problem *p, const struct backend_options *o,
                     struct backend_answer *out);
const char *backend_monosat_missing(const char *path, struct arena *messages);
/* The order for an assignment, by topological sorting.  False: the graph has a cycle. */
bool backend_order(const struct backend_problem *p, struct backend_answer *out);

#endif
