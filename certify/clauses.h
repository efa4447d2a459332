/* Clauses, and what follows from them by unit propagation alone: there is no search here.
 *
 * Literals are 2 v for the variable v and 2 v + 1 for its negation.  A clause *follows by unit
 * propagation* if supposing all of its literals to be false makes some clause false, where a clause
 * of which all literals but one are false makes that one true.  A list of such clauses that ends
 * with a contradiction is a proof that no choice satisfies the clauses it starts from (RUP;
 * Goldberg and Novikov, DATE 2003). */
#ifndef CERTIFY_CLAUSES_H
#define CERTIFY_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

typedef VEC(uint32_t) clause_lits;

struct clause_watch {
    uint32_t clause, other; /* nothing is to be done while the other literal is true */
};

/* Clause i has lits[ends[i - 1] … ends[i]), of which the first two are watched. */
struct clauses {
    clause_lits lits, ends;
    VEC(int8_t) value;                /* per literal: 1 true, -1 false, 0 open */
    VEC(VEC(struct clause_watch)) at; /* per literal: the clauses to look at when it is false */
    clause_lits trail;                /* literals that are true */
    size_t queue;                     /* so many of the trail have been looked at */
    size_t known;                     /* so many of the trail rest on no supposition */
    bool contradiction;
    clause_lits clean; /* scratch */
    VEC(uint8_t) seen; /* scratch, per literal */
};

void clauses_free(struct clauses *c);
uint32_t clauses_new_var(struct clauses *c);
static inline uint32_t clauses_vars(const struct clauses *c)
{
    return (uint32_t)(c->value.len / 2);
}
static inline uint32_t clause_not(uint32_t lit)
{
    return lit ^ 1;
}

/* A clause that holds.  Repeated literals and tautologies are allowed. */
void clauses_add(struct clauses *c, const uint32_t *lits, size_t n);
/* Does the clause follow by unit propagation?  Then it is added. */
bool clauses_derive(struct clauses *c, const uint32_t *lits, size_t n);
/* Suppose that all literals of a clause are false, and see what follows, until clauses_retract:
 * nothing is to be added meanwhile.  False: some clause is false. */
bool clauses_suppose_false(struct clauses *c, const uint32_t *lits, size_t n);
void clauses_retract(struct clauses *c);
/* 1: the literal is true, -1: false, 0: open. */
static inline int clauses_value(const struct clauses *c, uint32_t lit)
{
    return c->value.data[lit];
}
/* Does unit propagation make some clause false, without any supposition? */
bool clauses_contradict(struct clauses *c);

#endif
