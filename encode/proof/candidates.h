/* Invariants that a proof may need although nobody wrote them: proposed for every field, and kept
 * as far as they turn out to be inductive (proof.c). */
#ifndef ENCODE_PROOF_CANDIDATES_H
#define ENCODE_PROOF_CANDIDATES_H

#include "base/vec.h"
#include "encode/proof/import.h"

enum proof_candidate_kind {
    PROOF_AT_LEAST,  /* field >= value */
    PROOF_AT_MOST,   /* field <= value */
    PROOF_ONE_OF,    /* field is one of the values */
    PROOF_IN_ORDER,  /* field <= other */
    PROOF_ABSENT,    /* other (a bool) is false: field is zero */
    PROOF_INDEX,     /* field is an index of the other table */
    PROOF_REFERENCE, /* other (a bool) is true: field is the index of a row whose field is true */
};

/* For every row of the table. */
struct proof_candidate {
    enum proof_candidate_kind kind;
    uint32_t table, field, other;
    uint32_t to_table, to_field; /* INDEX, REFERENCE: a table of one dimension */
    term_int value[4];
    uint32_t n_values;
};
typedef VEC(struct proof_candidate) proof_candidates;

/* Those worth trying for the program. */
void proof_propose(struct sx_program *sx, proof_candidates *out);
struct fm_template proof_candidate_template(struct fm *fm, const struct proof_candidate *c);
/* "stock[i].quantity >= 0" */
const char *proof_candidate_text(const struct sx_program *sx, const struct proof_candidate *c,
                                 struct arena *arena);

#endif
