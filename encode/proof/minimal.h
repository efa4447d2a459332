/* Invariants that were found, and that a proof can do without. */
#ifndef ENCODE_PROOF_MINIMAL_H
#define ENCODE_PROOF_MINIMAL_H

#include "encode/proof/step.h"

struct proof_minimal {
    struct proof_step **steps;
    size_t n_steps;
    size_t first_found; /* invariants from this number on were found */
    /* Is the property proved with these facts assumed?  NULL: it is one of the facts. */
    bool (*holds)(void *arg, const struct proof_facts *assume);
    void *arg;
};

/* Takes invariants that were found out of `used`, one after the other, as long as what is left is
 * inductive and proves the property.  No single one of those that stay can then be left out, as far
 * as the solver sees.  What the facts mean for the proof does not change: it was complete before.
 */
void proof_minimise(const struct proof_minimal *m, struct proof_facts *used);

#endif
