/* Small counterexamples: from an execution in which a goal is true to one that a person likes to
 * read. */
#ifndef ENCODE_MINIMISE_H
#define ENCODE_MINIMISE_H

#include "encode/enc.h"

/* After enc_check(e, &goal, 1) said ENC_YES.  Fewest transactions (where the solver chooses them),
 * then fewest writes, then values near zero.  Leaves the best execution found as the model; false
 * if a limit took even that away. */
bool minimise(struct enc *e, struct problem *p, uint32_t goal);

#endif
