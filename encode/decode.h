/* From a model to an execution.  Only the leaves (inputs, what reads saw), ar and vis are taken
 * from the solver; everything else is evaluated again from the terms, and every read is compared
 * with what EXT gives for it.  So an error in the formula cannot produce a wrong execution, only an
 * error message. */
#ifndef ENCODE_DECODE_H
#define ENCODE_DECODE_H

#include "encode/enc.h"

/* pred: the violated predicate, seen in `place`; NULL for other goals.  The result is the caller's
 * (exec_free).  *error is NULL, or says what does not fit (owned by the execution). */
struct execution *decode(struct enc *e, struct problem *p, const struct prob_predicate *pred,
                         enum enc_place place, uint32_t observer_sets, const char **error);

#endif
