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
/* Predicate reads in terms of items, in the ways that the levels see them (history/derive.h): as
 * most do, cc, and rc and ra. */
enum whitebox_view { VIEW_STRONG, VIEW_CAUSAL, VIEW_DIRECT, VIEW_COUNT };
struct whitebox_answer {
    enum check_verdict verdict; /* OK: there is none yet */
    const char *sentence;
    struct derived mismatch;
    /* The history as it was, or NULL if it is not needed any more: for certify_repeatable, and for
     * other views than the first. */
    struct history *original;
    enum whitebox_view first;
    bool by_session;
    struct history *seen[VIEW_COUNT]; /* others than the first, made when they are needed */
};
/* *h becomes what the last of the levels sees.  If that alone gives the verdict, for all levels, *h
 * is left alone: a result mismatch, or UNKNOWN. */
int whitebox_predicates(struct cli *c, struct history **h, const struct check_level *levels,
                        size_t count, struct whitebox_answer *answer);
/* What the level sees, h or another; NULL, and *unknown says why, if it cannot be had. */
const struct history *whitebox_seen(struct cli *c, struct whitebox_answer *answer,
                                    const struct history *h, struct check_level level,
                                    const char **unknown);
void whitebox_free(struct whitebox_answer *answer);
int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence);
/* After a verdict: what a complete version order means for it. */
void whitebox_remark(struct cli *c, const struct history *h, enum check_verdict v);

#endif
