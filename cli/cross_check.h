/* The cross-check: every execution goes to the history engine before it is shown.
 *
 * The engine uses neither the encoding nor the executor.  It must accept the execution, as a
 * history, under the model for which the verifier found it.  If it does not, one of the two is
 * wrong: an internal error with both sides saved, never a verdict.  The weakest stronger model that
 * refuses the execution gives the anomaly's name. */
#ifndef CLI_CROSS_CHECK_H
#define CLI_CROSS_CHECK_H

#include "cli/cli.h"
#include "report/verify/verify_report.h"

struct cross_check {
    struct cli *c;
    VEC(struct verify_opinion) list;
    VEC(struct history *) histories;
    VEC(struct check_answers *) answers;
    const char *trouble; /* the first disagreement, or NULL */
};

void cross_check_init(struct cross_check *o, struct cli *c);
void cross_check_free(struct cross_check *o);
/* Cross-checks every execution of the result. */
void cross_check_ask(struct cross_check *o, const struct verify_result *r);
/* `robust`: why no serial order explains the executions of the result, for the report.  Call it
 * after cross_check_ask; that an order does is a disagreement. */
void cross_check_serial(struct cross_check *o, const struct verify_result *r);
/* --save-history.  NULL, or what went wrong. */
const char *cross_check_save(struct cross_check *o, const struct execution *x, const char *path);

#endif
