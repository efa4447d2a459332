/* Which model is weaker than which (lattice.h).  A set of models is a bit set of 1u << enum
 * model_id.
 */
#ifndef MODELS_MODEL_SETS_H
#define MODELS_MODEL_SETS_H

#include "models/models.h"

/* Every execution (up to final states) that b allows, a allows too; a itself counts. */
bool model_weaker_or_equal(enum model_id a, enum model_id b);
/* The model and all that are stronger, or weaker, as a set. */
uint32_t model_and_above(enum model_id m);
uint32_t model_and_below(enum model_id m);
/* The models of a set that have no stronger, or weaker, one in the set. */
uint32_t models_strongest(uint32_t set);
uint32_t models_weakest(uint32_t set);

#endif
