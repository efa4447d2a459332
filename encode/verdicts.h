/* What the verdicts of one question add up to; see verdicts.c. */
#ifndef ENCODE_VERDICTS_H
#define ENCODE_VERDICTS_H

#include "base/vec.h"
#include "encode/verify.h"

typedef VEC(struct verify_verdict) verdict_list;

/* Into r, whose properties and error are known: all verdicts, and the worst.  *v may be changed. */
void verdicts_sum_up(verdict_list *v, struct verify_result *r);

#endif
