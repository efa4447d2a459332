/* One step of induction: transaction T sees states, and its writes are applied to a state B.
 *
 * The rule (docs/semantics.md, "Unbounded question"): if the invariants hold on all states that T
 * sees and on B, if the relies hold between them, and the model's condition, and if this implies
 * the invariants on the state after, for every T, then they hold after any number of transactions.
 * States are whole tables, of any size (formula.h).  One struct proof_step is this for one T, with
 * a switch for every invariant and every rely, so that the search for an inductive set (proof.c)
 * only flips switches. */
#ifndef ENCODE_PROOF_STEP_H
#define ENCODE_PROOF_STEP_H

#include "encode/proof/candidates.h"
#include "encode/result/properties.h"
#include "models/models.h"

struct proof_step;
struct z3ctx_pool;

/* What is assumed or asked: a bit per invariant (those of the program, then those that are
 * proposed), a bit per rely. */
struct proof_facts {
    bool *inv;
    bool *rely;
    size_t n_inv, n_rely;
};

enum proof_answer { PROOF_NO, PROOF_YES, PROOF_UNKNOWN };

/* The same for all steps of a proof. */
struct proof_setting {
    struct sx_program *sx; /* with folds as terms */
    const struct model *model;
    const struct verify_rely *relies;
    size_t n_relies;
    const struct proof_candidate *candidates; /* invariants that are proposed */
    size_t n_candidates;
    int effort; /* 0, 1, 2: how much is said about sums */
    struct z3ctx_pool *pool;
};

struct proof_step *proof_step_new(const struct proof_setting *setting,
                                  const struct sx_summary *txn);
/* The step from nothing to the initial state: INITIAL's writes, on top of C's initialisers.  Its
 * only questions are those for invariants that it breaks. */
struct proof_step *proof_step_initial(const struct proof_setting *setting);
void proof_step_free(struct proof_step *s);
/* Why nothing can be said, or NULL. */
const char *proof_step_limit(const struct proof_step *s);

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
/* Which loop the step cannot deal with, in words, if that may be why the invariant is not proved: a
 * sum of the invariant is not known after a write.  NULL: there is none. */
const char *proof_step_loop(struct proof_step *s, size_t invariant, struct arena *arena);
/* After PROOF_YES: the step, in the user's terms. */
struct verify_gap *proof_step_gap(struct proof_step *s, uint32_t invariant);

#endif
