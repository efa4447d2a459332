/* The second opinion: every execution that is shown goes to the history engine first.
 *
 * The engine knows nothing of the encoding or the executor.  It must accept the execution, as a
 * history, under the model for which the verifier found it; if it does not, one of the two is
 * wrong, and that is an internal error with both sides saved, never a verdict.  The weakest
 * stronger model that refuses it then gives the anomaly's name. */
#ifndef CLI_OPINION_H
#define CLI_OPINION_H

#include "cli/cli.h"
#include "report/verify_report.h"

struct opinions {
    struct cli *c;
    VEC(struct verify_opinion) list;
    VEC(struct history *) histories;
    VEC(struct check_result *) results;
    const char *trouble; /* the first disagreement, or NULL */
};

void opinion_init(struct opinions *o, struct cli *c);
void opinion_free(struct opinions *o);
/* Looks at every execution of the result. */
void opinion_ask(struct opinions *o, const struct verify_result *r);
/* --save-history.  NULL, or what went wrong. */
const char *opinion_save(struct opinions *o, const struct execution *x, const char *path);

#endif
