/* What `visar check` does with what a white-box database tells: version orders, an expected
 * serialization order, predicate reads.  Functions give an exit code, EXIT_HOLDS: go on. */
#ifndef CLI_WHITEBOX_H
#define CLI_WHITEBOX_H

#include "cli/cli.h"
#include "history/check.h"
#include "history/derive.h"

/* --version-order: its orders into the history. */
int whitebox_version_order(struct cli *c, struct history *h);
/* Orders that claim to be complete must be. */
int whitebox_complete(struct cli *c, const struct history *h);
/* --order: the whole answer. */
int whitebox_replay(struct cli *c, const struct history *h, const char *path);
/* Put predicate reads in terms of items, for these levels (count 0: for all).  If that alone gives
 * the verdict, for all levels, *h is left alone: a result mismatch, or UNKNOWN. */
struct whitebox_answer {
    enum check_verdict verdict; /* OK: there is none yet */
    const char *sentence;
    struct derived mismatch;
    /* PL-2.99: the history as it was, for certify_repeatable; to be freed.  Else NULL. */
    struct history *original;
};
int whitebox_predicates(struct cli *c, struct history **h, const struct check_level *levels,
                        size_t count, struct whitebox_answer *answer);
int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence);
/* After a verdict: what a complete version order means for it. */
void whitebox_remark(struct cli *c, const struct history *h, enum check_verdict v);

#endif
