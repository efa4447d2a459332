/* What the files sat*.c share; see sat.h.
 *
 * Invariants: the first two literals of a clause are watched; a reason's first literal is the one
 * it implies; trail[0 … told) is what the theory knows, in this order. */
#ifndef CHECK_SOLVER_SAT_INTERNAL_H
#define CHECK_SOLVER_SAT_INTERNAL_H

#include "base/map.h"
#include "base/mem.h"
#include "check/solver/sat.h"

#define NO_CLAUSE 0u
#define PASSIVE (UINT32_MAX - 1) /* heap_at: never decided */
/* Activities count after this many conflicts plus a tenth of the number of variables. */
#define CALM 200

struct watch {
    uint32_t clause, blocker;
};
typedef VEC(struct watch) watch_vec;

/* A clause in the arena: size, lbd (0: not learned, DEAD: to be removed), trace id, literals. */
enum { C_SIZE, C_LBD, C_TRACE, C_LITS };
#define DEAD UINT32_MAX

/* Where a clause comes from: the caller (tag: its number), the theory (tag: its tag), or resolution
 * of the traced clauses trace_from[start … start + len). */
enum trace_kind { TRACE_GIVEN, TRACE_THEORY, TRACE_LEARNED };
struct trace {
    uint32_t kind, tag, start, len;
    uint32_t lits, size; /* a range of trace_lits */
};

struct sat {
    sat_lits arena;
    sat_lits learned; /* offsets */
    watch_vec *watches;
    int8_t *value; /* per literal: 1 true, -1 false, 0 unassigned */
    uint32_t *level, *reason;
    uint8_t *phase, *seen;
    double *activity, bump;
    uint32_t *heap, *heap_at; /* heap_at: position, or UINT32_MAX, or PASSIVE */
    uint32_t heap_len, vars, cap;
    uint32_t cursor; /* see sat_heap.c */

    sat_lits trail, limits; /* limits: where each level starts in the trail */
    uint32_t queue, told;
    bool unsat;
    uint32_t far; /* see sat_be_patient; 0: never backtrack chronologically */
    bool mixed;   /* levels may decrease along the trail */

    struct sat_theory theory;
    uint32_t given;
    uint64_t random;
    uint64_t conflicts, decisions, propagations, next_reduce, most_conflicts;
    uint64_t most_propagations;

    bool tracing;
    VEC(struct trace) trace;
    sat_lits trace_from, trace_lits, chain;
    uint32_t final; /* traced clause that is false at level 0 */

    sat_lits clause, minimized, clear, conflict;
};

/* sat_heap.c: the order of decisions. */
bool sat_before(const struct sat *s, uint32_t a, uint32_t b);
/* The variable to decide next, or UINT32_MAX if all are decided. */
uint32_t sat_next(struct sat *s);
/* The variable has become unassigned. */
void sat_reopen(struct sat *s, uint32_t v);
void sat_bump(struct sat *s, uint32_t v);

/* sat_clauses.c.  The literals to watch come first. */
uint32_t sat_new_clause(struct sat *s, const uint32_t *lits, size_t n, uint32_t lbd,
                        uint32_t trace);
void sat_watch(struct sat *s, uint32_t lit, uint32_t clause, uint32_t blocker);
void sat_assign(struct sat *s, uint32_t lit, uint32_t reason);
/* At level 0: remove the worse half of the learned clauses and compact the arena. */
void sat_reduce(struct sat *s);

/* sat_trace.c: the record of where clauses come from. */
uint32_t sat_trace_clause(struct sat *s, enum trace_kind kind, uint32_t tag, const uint32_t *lits,
                          size_t n);
void sat_trace_use(struct sat *s, uint32_t trace);

/* sat_learn.c: learn a clause from a conflict and backtrack to the level at which it is unit. */
void sat_learn(struct sat *s, uint32_t conflict);

/* sat.c */
void sat_backtrack(struct sat *s, uint32_t level);

#endif
