/* One question for each model that --model names, answered in parallel: `verify` and `robust`. */
#ifndef CLI_ASKED_H
#define CLI_ASKED_H

#include "cli/verified.h"

struct asked {
    struct verified *v;
    struct verify_question questions[MODEL_AFTER_SERVERS];
    struct verify_result *results[MODEL_AFTER_SERVERS]; /* the batch's; weakest model first */
    size_t n;
};

/* judge: for questions about robustness; else NULL.  False after a usage error. */
bool asked_make(struct asked *a, struct verified *v, const struct verify_judge *judge);
void asked_run(struct asked *a);

#endif
