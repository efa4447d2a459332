/* What `visar check` does with what a white-box database tells: version orders, an expected
 * serialization order, results of predicate reads.  Functions give an exit code, EXIT_HOLDS: go on.
 */
#ifndef CLI_WHITEBOX_H
#define CLI_WHITEBOX_H

#include "cli/cli.h"
#include "history/history.h"

/* --version-order: adds the orders of the file to the history. */
int whitebox_version_order(struct cli *c, struct history *h);
/* Checks that orders that claim to be complete are. */
int whitebox_complete(struct cli *c, const struct history *h);
/* --order: gives the whole answer. */
int whitebox_replay(struct cli *c, const struct history *h, const char *path);
/* A result that nothing gives, which violates every level. */
int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence);
/* A guard of the engine stopped an answer: a bug of ours, never a verdict. */
int whitebox_broken(struct cli *c, const char *fault);
/* After a violation: what a complete version order means for it. */
void whitebox_remark(struct cli *c, const struct history *h);

#endif
