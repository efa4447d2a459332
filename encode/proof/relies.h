/* Two-state facts that a proof may rely on: proposed for every field, and kept as far as every
 * transaction preserves them (proof.c). */
#ifndef ENCODE_PROOF_RELIES_H
#define ENCODE_PROOF_RELIES_H

#include "base/vec.h"
#include "encode/result/property.h"
#include "models/models.h"

typedef VEC(struct verify_rely) proof_relies;

/* Those that may relate states under the model, and that may be of use. */
void proof_propose_relies(const struct sx_program *sx, const struct model *m, proof_relies *out);

#endif
