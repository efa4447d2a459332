/* How often does a loop go round?  Before it is unrolled, so that an absurd number is refused at
 * once and a bound that is too low comes with good advice. */
#ifndef SYMEXEC_ROUNDS_H
#define SYMEXEC_ROUNDS_H

#include "symexec/exec.h"

struct sx_rounds {
    bool counted;    /* the loop counts a local variable up or down to a bound */
    uint64_t least;  /* rounds, if nothing leaves the loop; 0 if that is not known */
    uint64_t inside; /* rounds of the loops inside, in each round, at least */
    uint64_t most;   /* rounds that the types and the facts allow; 0 if that is not known */
    bool way_out;    /* something may leave the loop before its condition does */
};

/* Of a loop that is about to be entered, or about to go round again: its variables have their
 * values. */
struct sx_rounds sx_rounds(struct sx_exec *x, const struct ast_stmt *loop);

#endif
