/* The proofs that a violation needs besides its cycles and cases; see struct check_proof. */
#ifndef CHECK_EXPLAIN_PROVE_H
#define CHECK_EXPLAIN_PROVE_H

#include "certify/certify.h"
#include "certify/refutation.h"

/* Adds the proofs to the result and has the certifier check the whole.  NULL, or what is wrong with
 * the violation (owned by the arena). */
const char *prove_violation(const struct history *h, const struct certify_question *o,
                            struct check_result *r, struct arena *messages);
/* Adds a proof to the result that the clause follows from those of the formula, if it does. */
void prove_clause(struct formula *f, const clause_lits *goal, struct check_result *r);

#endif
