/* What `visar check` does with what a white-box database tells: version orders, an expected
 * serialization order, predicate reads.  Functions give an exit code, EXIT_HOLDS: go on. */
#ifndef CLI_WHITEBOX_H
#define CLI_WHITEBOX_H

#include "cli/cli.h"
#include "check/predicate/missing_rows.h"
#include "certify/certify.h"
#include "check/check.h"
#include "history/lower/lower.h"

/* --version-order: its orders into the history. */
int whitebox_version_order(struct cli *c, struct history *h);
/* Orders that claim to be complete must be. */
int whitebox_complete(struct cli *c, const struct history *h, const char *path);
/* --order: the whole answer. */
int whitebox_replay(struct cli *c, const struct history *h, const char *path);
/* Predicate reads in terms of items (history/lower/lower.h). */
struct whitebox_answer {
    enum check_verdict verdict; /* OK: there is none yet */
    const char *sentence;
    struct history *original;       /* the history as it was; NULL: it has no such reads */
    const struct lowered *mismatch; /* VIOLATION: one of the next two */
    struct lowered items;           /* what the levels see first; nothing if all is there already */
    struct lowered repeatable;      /* what repeatable read sees */
    struct history *given;          /* the one of their histories that the caller has */
    struct missing_rows_search search;
};
/* *h becomes what the last of the levels sees, and belongs to the caller as before; but for
 * repeatable read, unless that is the only level.  If that alone gives the verdict, for all levels,
 * *h is left alone: a result mismatch, or UNKNOWN.  `named`: what a certificate says, or NULL.
 */
int whitebox_predicates(struct cli *c, struct history **h, const struct level *levels, size_t count,
                        const struct certificate_items *named, struct whitebox_answer *answer);
/* As check_history, on what the level sees: h or another. */
void whitebox_check(struct whitebox_answer *answer, const struct history *h,
                    const struct check_options *o, struct check_result *to);
/* A certificate that explains h: what predicate reads did not return must not be there.  NULL, or
 * what is wrong. */
const char *whitebox_certify_missing_rows(struct cli *c, const struct whitebox_answer *answer,
                                          const struct certificate *proof);
void whitebox_free(struct whitebox_answer *answer);
int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence);
/* After a violation: what a complete version order means for it. */
void whitebox_remark(struct cli *c, const struct history *h);

#endif
