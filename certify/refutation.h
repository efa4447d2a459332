/* Clauses about facts of a history, and proofs that no choice satisfies all of them.
 *
 * The certifier makes the clauses from the history and the cycles (certify_choices.c,
 * certify_cover.c).  That they contradict each other it does not find out: a proof that comes with
 * the verdict says so, and is replayed along its hints (clauses.h). */
#ifndef CERTIFY_REFUTATION_H
#define CERTIFY_REFUTATION_H

#include "base/map.h"
#include "certify/certify.h"
#include "certify/clauses.h"

struct formula {
    struct clauses clauses;
    VEC(struct check_fact) facts;      /* per variable */
    struct map vars[CHECK_FACT_KINDS]; /* its two parts to the variable */
};

void formula_free(struct formula *f);
/* The literal of a fact; *fresh, if given: it is new. */
uint32_t formula_lit(struct formula *f, enum check_fact_kind kind, uint32_t a, uint32_t b,
                     bool *fresh);
/* The literal, or HIST_NONE: the clauses do not speak of the fact. */
uint32_t formula_find(const struct formula *f, enum check_fact_kind kind, uint32_t a, uint32_t b);
void formula_add(struct formula *f, const uint32_t *lits, size_t n);
/* At most one of the literals is true.  For more than `few` of them, new facts with the kind, the
 * part a and the parts b + 1, b + 2, … say that one of the first so many is. */
void formula_at_most_one(struct formula *f, const uint32_t *lits, size_t n, size_t few,
                         enum check_fact_kind kind, uint32_t a, uint32_t b);

/* The proofs of a verdict, which are taken in order. */
struct proof_reader {
    const struct check_result *r;
    size_t next;
    const struct certify_prover *prover; /* while a verdict is being made: who adds proofs; NULL */
};

/* The next proof, for the clause `goal`; NULL: there is none. */
const struct check_proof *proof_next(struct proof_reader *p, struct judge *j, struct formula *f,
                                     const clause_lits *goal);
/* Does the goal follow from the clauses of the formula, as the proof says?  Then it is added, and
 * so are the clauses of the proof, each of which says "or the goal".  `exhausted`, or NULL: has the
 * aggregate no result left, for all that is true now? */
typedef bool proof_exhausted(void *arg, uint32_t aggregate);
bool proof_replay(const struct check_result *r, const struct check_proof *p, struct formula *f,
                  const clause_lits *goal, proof_exhausted *exhausted, void *arg);

#endif
