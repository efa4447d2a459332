/* Small counterexamples: from an execution in which a goal is true to one that a person likes to
 * read. */
#ifndef ENCODE_MINIMISE_H
#define ENCODE_MINIMISE_H

#include "encode/enc.h"

/* To be called after enc_check(e, &goal, 1) gave ENC_YES.  pred: the predicate that is violated, or
 * NULL.  Minimises the number of transactions
 * (where the solver chooses them), then the number of writes, then brings values near zero.  Leaves
 * the best execution found as the model.  False: a limit was hit and no model is left. */
bool minimise(struct enc *e, struct problem *p, const struct prob_predicate *pred, uint32_t goal);

#endif
