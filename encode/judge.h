/* Is an execution allowed by its levels?  The axioms once more, on concrete relations: what the
 * solver found must pass this before anybody sees it. */
#ifndef ENCODE_JUDGE_H
#define ENCODE_JUDGE_H

#include "encode/execution.h"

/* NULL if every axiom holds; else which one does not. */
const char *judge_execution(const struct execution *x);

#endif
