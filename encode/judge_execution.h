/* Is an execution allowed by its levels?  The axioms are checked again on concrete relations: every
 * execution that the solver finds must pass this check before it is shown. */
#ifndef ENCODE_JUDGE_EXECUTION_H
#define ENCODE_JUDGE_EXECUTION_H

#include "encode/result/execution.h"

/* NULL if every axiom holds; else which one does not. */
const char *judge_execution(const struct execution *x);

#endif
