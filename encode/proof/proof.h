/* The proof rule: properties that hold for any number of transactions. */
#ifndef ENCODE_PROOF_H
#define ENCODE_PROOF_H

#include "encode/proof/step.h"

struct proof_result {
    bool proved;
    const uint32_t *used; /* the invariants (as properties) that the proof uses, except itself */
    size_t n_used;
    const struct verify_rely *relies;
    size_t n_relies;
    const char *const *found; /* invariants that nobody wrote, in C */
    size_t n_found;
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

/* Does the program start somewhere, or may every state that satisfies the invariants be the initial
 * one? */
enum proof_start { PROOF_FROM_INITIAL, PROOF_FROM_INVARIANTS };

struct proof_question {
    struct sx_program *sx; /* with folds as terms (SX_FOLDS_TERMS), of any size (rows = 0) */
    const struct properties *props;
    const struct model *model;
    enum proof_start start;
    /* Does an invariant hold in the initial state?  Asked where the rule cannot see it; or NULL. */
    bool (*holds_initially)(void *arg, uint32_t invariant);
    void *initially_arg;
    struct z3ctx_pool *pool;
    struct arena *arena; /* of texts and lists */
    proof_news news;
    void *news_arg;
};
/* results: by property, zeroed.  never_run: by TRANSACTION, set where its assumptions fail on every
 * state. */
void proof_run(const struct proof_question *q, struct proof_result *results, bool *never_run);

#endif
