/* One step of induction: transaction T sees a state A, and its writes are applied to a state B.
 *
 * The rule (docs/semantics.md, "Unbounded question"): if I(A), I(B), rely(A, B) and the model's
 * condition imply I(B ⊕ T(A)) for every T, then I holds after any number of transactions.  One
 * struct proof_step is this formula for one T, with a switch for every invariant and every rely, so
 * that the search for an inductive set (proof.c) only flips switches. */
#ifndef ENCODE_PROOF_STEP_H
#define ENCODE_PROOF_STEP_H

#include "encode/properties.h"
#include "encode/verify.h"

struct proof_step;
struct z3ctx_pool;

/* The model's condition on A and B. */
enum proof_condition {
    PROOF_SAME,  /* B = A: SER */
    PROOF_AGREE, /* on the rows that T writes or locks: SI, PSI */
    PROOF_NONE   /* PC, CC, RA */
};

/* What is assumed or asked: a bit per invariant, a bit per rely. */
struct proof_facts {
    bool *inv;  /* by invariant of the program */
    bool *rely; /* by candidate */
    size_t n_inv, n_rely;
};

enum proof_answer { PROOF_NO, PROOF_YES, PROOF_UNKNOWN };

struct proof_step *proof_step_new(struct sx_program *sx, const struct sx_summary *txn,
                                  const struct model *const *levels, enum proof_condition condition,
                                  const struct verify_rely *relies, size_t n_relies,
                                  struct z3ctx_pool *pool);
void proof_step_free(struct proof_step *s);

/* Is there a step, with the facts assumed, that breaks one of the facts asked?  If so, broken says
 * which ones it breaks (among those asked). */
enum proof_answer proof_step_breaks(struct proof_step *s, const struct proof_facts *assume,
                                    const struct proof_facts *ask, struct proof_facts *broken);
/* Is there a snapshot, with the invariants assumed, on which the place (a property of T, or with
 * PROPERTY_NONE any loop bound of T or of the invariants) fires? */
enum proof_answer proof_step_fires(struct proof_step *s, const struct proof_facts *assume,
                                   const struct properties *props, uint32_t property);
/* Is there a snapshot on which an execution of T reaches the assertion (REACHED)?  On which it
 * does, but a check, *fails, fails (CHECKED)?  On which it would if no assumption failed (BLOCKED)?
 * REACHED also if nothing is known. */
enum verify_reach proof_step_reach(struct proof_step *s, const struct proof_facts *assume,
                                   const struct properties *props, uint32_t property,
                                   const struct sx_point **fails);
/* Is there a snapshot, with the invariants assumed, on which T's own assumptions hold? */
enum proof_answer proof_step_exists(struct proof_step *s, const struct proof_facts *assume);
/* After PROOF_NO: the facts assumed that were needed, added to `used`. */
void proof_step_used(struct proof_step *s, const struct proof_facts *assume,
                     struct proof_facts *used);
/* After PROOF_YES: the step, in the user's terms. */
struct verify_gap *proof_step_gap(struct proof_step *s, uint32_t invariant);
void verify_gap_free(struct verify_gap *g);

#endif
