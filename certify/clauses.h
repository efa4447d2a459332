/* Clauses, and whether one follows from others by unit propagation along given hints: nothing is
 * searched here.
 *
 * Literals are 2 v for the variable v and 2 v + 1 for its negation.  A clause *follows by unit
 * propagation* if supposing all of its literals to be false makes some clause false, where a clause
 * of which all literals but one are false makes that one true.  The *hints* of a clause are the
 * numbers of the clauses to look at, in order.  So replaying a proof takes time proportional to the
 * clauses that it names (LRAT; Cruz-Filipe et al., CADE 2017). */
#ifndef CERTIFY_CLAUSES_H
#define CERTIFY_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

typedef VEC(uint32_t) clause_lits;

/* Clause i has lits[ends[i - 1] … ends[i]). */
struct clauses {
    clause_lits lits, ends;
    VEC(int8_t) value; /* per literal: 1 true, -1 false, 0 open */
    clause_lits trail; /* literals that are true, until clauses_retract */
};

void clauses_free(struct clauses *c);
uint32_t clauses_new_var(struct clauses *c);
static inline uint32_t clause_not(uint32_t lit)
{
    return lit ^ 1;
}
/* Clause i, and its length. */
const uint32_t *clauses_get(const struct clauses *c, uint32_t i, uint32_t *n);

/* A clause that holds.  Repeated literals and tautologies are allowed. */
void clauses_add(struct clauses *c, const uint32_t *lits, size_t n);

enum clauses_outcome {
    CLAUSES_FALSE, /* some clause is false: what was supposed is impossible */
    CLAUSES_OPEN,  /* the hints were followed, and no clause is false */
    CLAUSES_WRONG  /* a hint names no clause, or one with several literals that are not false */
};
/* Suppose that all literals are false, and see what follows by the hints, numbers of clauses from
 * 0.  What follows stays until clauses_retract. */
enum clauses_outcome clauses_follow(struct clauses *c, const uint32_t *lits, size_t n,
                                    const uint32_t *hints, size_t hint_count);
void clauses_retract(struct clauses *c);
/* 1: the literal is true, -1: false, 0: open. */
static inline int clauses_value(const struct clauses *c, uint32_t lit)
{
    return c->value.data[lit];
}

#endif
