/* Clauses about facts of a history, and proofs that no choice satisfies all of them.
 *
 * The certifier makes the clauses from the history and the cycles (certify_choices.c,
 * certify_cover.c).  That they contradict each other it does not find out: a proof that comes with
 * the verdict says so, and is replayed by unit propagation (clauses.h). */
#ifndef CERTIFY_REFUTATION_H
#define CERTIFY_REFUTATION_H

#include "certify/certify.h"
#include "certify/clauses.h"

struct formula {
    struct clauses clauses;
    VEC(struct check_fact) facts; /* per variable */
};

void formula_free(struct formula *f);
/* The literal of a fact that has no variable yet. */
uint32_t formula_new(struct formula *f, struct check_fact fact);
void formula_add(struct formula *f, const uint32_t *lits, size_t n);
/* At most one of the literals is true.  For more than `few` of them, facts of the kind say that one
 * of the first so many is; `fact` has their kind, a and, for MAKERS_UP_TO, b. */
void formula_at_most_one(struct formula *f, const uint32_t *lits, size_t n, size_t few,
                         struct check_fact fact);

/* The proofs of a verdict, which are taken in order. */
struct proof_reader {
    const struct check_result *r;
    size_t next;
    /* While a verdict is being made: `prover` suggests clauses, which are replayed all the same and
     * written to `out`.  NULL otherwise. */
    const struct certify_prover *prover;
    struct check_result *out;
};

/* Does the clause follow from those of the formula?  By unit propagation, or else by the next
 * proof, in whose clauses it is left out: each of them says "or the clause".  Then it is added. */
bool proof_derives(struct proof_reader *p, struct formula *f, const clause_lits *clause, bool wide);

#endif
