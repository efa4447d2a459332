/* The proof rule: properties that hold for any number of transactions. */
#ifndef ENCODE_PROOF_H
#define ENCODE_PROOF_H

#include "encode/proof_step.h"

struct proof_result {
    bool proved;
    const uint32_t *used; /* the invariants (as properties) that the proof uses, except itself */
    size_t n_used;
    const struct verify_rely *relies;
    size_t n_relies;
    enum verify_reach reach; /* proved */
    const struct sx_point *fails;
    struct verify_gap *gap; /* where it fails, or NULL; the caller's */
    /* Not proved, but it would follow from all invariants together: the properties that its proof
     * would use and that are not proved themselves.  There is no gap then. */
    const uint32_t *needs;
    size_t n_needs;
    const char *why; /* not proved: in a few words, or NULL */
    double seconds;
};

/* Called as soon as a property is proved, because the solver may not return in time for the
 * rest. */
typedef void (*proof_news)(void *arg, uint32_t property, const struct proof_result *r);

/* Does the rule apply to this model? */
bool proof_applies(const struct model *m);
/* results: by property, zeroed.  base[i]: invariant i holds in the initial state (or every state
 * that satisfies the invariants may be one).  never_run: by TRANSACTION, set where its assumptions
 * fail on every state.  Texts and lists are in the arena. */
void proof_run(struct sx_program *sx, const struct properties *props, const struct model *m,
               const bool *base, struct z3ctx_pool *pool, struct arena *arena,
               struct proof_result *results, bool *never_run, proof_news news, void *arg);

#endif
