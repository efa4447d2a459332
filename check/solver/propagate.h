/* Unit propagation that remembers reasons: which clauses, in which order, make a clause false once
 * the literals of another one are supposed to be false.  The certifier follows such hints
 * (certify/clauses.h); here they are found.
 *
 * Literals are as in sat.h; clauses are numbered from 0 in the order in which they are added. */
#ifndef CHECK_SOLVER_PROPAGATE_H
#define CHECK_SOLVER_PROPAGATE_H

#include <stdbool.h>

#include "check/solver/sat.h"

#define PROPAGATE_NONE UINT32_MAX

struct propagate_watch {
    uint32_t clause, other; /* nothing is to be done while the other literal is true */
};

/* Clause i has lits[ends[i - 1] … ends[i]), of which the first two are watched. */
struct propagate {
    sat_lits lits, ends;
    VEC(int8_t) value;                   /* per literal: 1 true, -1 false, 0 open */
    VEC(VEC(struct propagate_watch)) at; /* per literal: the clauses to look at when it is false */
    sat_lits reason;                     /* per variable: the clause, or PROPAGATE_NONE */
    sat_lits trail;                      /* literals that are true */
    size_t queue;                        /* so many of the trail have been looked at */
    size_t known;                        /* so many of the trail rest on no supposition */
    uint32_t conflict;                   /* a clause that is false, or PROPAGATE_NONE */
    bool contradiction;                  /* … without any supposition */
    VEC(uint8_t) seen;                   /* per variable: scratch */
    sat_lits clean, stack;               /* scratch */
};

void propagate_init(struct propagate *p);
void propagate_free(struct propagate *p);
void propagate_new_var(struct propagate *p);
static inline uint32_t propagate_count(const struct propagate *p)
{
    return (uint32_t)p->ends.len;
}
static inline uint32_t propagate_size(const struct propagate *p, uint32_t clause)
{
    return p->ends.data[clause] - (clause ? p->ends.data[clause - 1] : 0);
}

/* Repeated literals and tautologies are allowed.  Nothing may be supposed meanwhile. */
void propagate_add(struct propagate *p, const uint32_t *lits, size_t n);
/* Does some clause become false if all literals are supposed to be false?  What follows stays until
 * propagate_retract. */
bool propagate_suppose_false(struct propagate *p, const uint32_t *lits, size_t n);
void propagate_retract(struct propagate *p);

/* After propagate_suppose_false: the clauses that make p->conflict false, in order, itself last,
 * are appended.  `unit`, or NULL: per variable, a clause of only its true literal to use in place
 * of its reason, or PROPAGATE_NONE. */
void propagate_hints(struct propagate *p, const uint32_t *unit, sat_lits *hints);
/* The same for the clauses that make these variables, which are assigned, what they are. */
void propagate_hints_for(struct propagate *p, const uint32_t *vars, size_t n, const uint32_t *unit,
                         sat_lits *hints);

#endif
