/* How many iterations does a loop have?  This is asked before it is unrolled, so that an absurd
 * number is refused at once and a bound that is too low comes with good advice. */
#ifndef SYMEXEC_ROUNDS_H
#define SYMEXEC_ROUNDS_H

#include "symexec/exec.h"

struct sx_rounds {
    bool counted;    /* the loop counts a local variable up or down to a bound */
    uint64_t least;  /* iterations if nothing leaves the loop early; 0 if not known */
    uint64_t inside; /* lower bound on iterations of inner loops per iteration */
    uint64_t most;   /* upper bound by types and facts; 0 if not known */
    bool way_out;    /* the loop may be left before its condition is false */
};

/* For a loop that is about to be entered or repeated: its variables have their values. */
struct sx_rounds sx_rounds(struct sx_exec *x, const struct ast_stmt *loop);

#endif
