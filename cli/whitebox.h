/* The part of `visar check` for white-box databases: version orders, an expected serialization
 * order, predicate reads.  Functions return an exit code; EXIT_HOLDS: go on. */
#ifndef CLI_WHITEBOX_H
#define CLI_WHITEBOX_H

#include "cli/cli.h"
#include "check/predicate/missing_rows.h"
#include "certify/certify.h"
#include "check/check.h"
#include "history/lower/lower.h"

/* --version-order: adds the orders of the file to the history. */
int whitebox_version_order(struct cli *c, struct history *h);
/* Checks that orders that claim to be complete are. */
int whitebox_complete(struct cli *c, const struct history *h, const char *path);
/* --order: gives the whole answer. */
int whitebox_replay(struct cli *c, const struct history *h, const char *path);
/* Lowered predicate reads (history/lower/lower.h). */
struct whitebox_answer {
    enum check_verdict verdict; /* OK: there is no verdict yet */
    const char *sentence;
    struct history *original;       /* the history as it was read; NULL: it has no such reads */
    const struct lowered *mismatch; /* VIOLATION: one of the next two */
    struct lowered items;           /* what the levels see first; nothing if all is there already */
    struct lowered repeatable;      /* what repeatable read sees */
    struct history *given;          /* the one of their histories that the caller has */
    struct missing_rows_search search;
};
/* Lowers *h for the last of the levels (for repeatable read only if that is the only level); the
 * caller owns *h as before.  If lowering alone gives the verdict for all levels (a result mismatch,
 * or UNKNOWN), *h is unchanged.  `named`: what a certificate says about the lowering, or NULL. */
int whitebox_predicates(struct cli *c, struct history **h, const struct level *levels, size_t count,
                        const struct certificate_items *named, struct whitebox_answer *answer);
/* As check_history, on the history lowered for the level: h or another one. */
void whitebox_check(struct whitebox_answer *answer, const struct history *h,
                    const struct check_options *o, struct check_result *to);
/* For a certificate that explains h: in the explanation, no missing row may match.  NULL, or what
 * is wrong. */
const char *whitebox_certify_missing_rows(struct cli *c, const struct whitebox_answer *answer,
                                          const struct certificate *proof);
void whitebox_free(struct whitebox_answer *answer);
int whitebox_print_mismatch(struct cli *c, const char *path, const char *sentence);
/* Printed after a violation: what a complete version order means for it. */
void whitebox_remark(struct cli *c, const struct history *h);

#endif
