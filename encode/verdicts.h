/* What the verdicts of one question add up to; see verdicts.c. */
#ifndef ENCODE_VERDICTS_H
#define ENCODE_VERDICTS_H

#include "base/vec.h"
#include "encode/verify.h"

typedef VEC(struct verify_verdict) verdict_list;

/* Put all verdicts, and the worst of them, into r, whose properties and error are set.  *v may be
 * changed. */
void verdicts_sum_up(verdict_list *v, struct verify_result *r);

#endif
