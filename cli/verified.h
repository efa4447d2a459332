/* What `verify` and `weakest` have in common: a program, threads for questions about it,
 * cross-checks of the answers, and the end. */
#ifndef CLI_VERIFIED_H
#define CLI_VERIFIED_H

#include <pthread.h>

#include "cli/cross_check.h"
#include "cli/load.h"
#include "encode/batch.h"

/* A verdict on a property that is known before its model is done. */
struct verified_news {
    const struct verify_result *of;
    uint32_t property;
    const char *text;
};

struct verified {
    struct cli *c;
    struct ast_program *ast;
    struct batch *batch;
    struct cross_check opinions;
    VEC(const struct verify_result *) asked; /* those that have been cross-checked */
    pthread_mutex_t lock;                    /* of the two below, and of the arena */
    const char *models_known;                /* "" or what is known of the models that are done */
    VEC(struct verified_news) news;          /* what is known of the models that are not done */
};

/* Opens the program and the batch.  servers: levels of servers will be asked about.  Returns
 * EXIT_HOLDS, or an exit code after it has printed the errors.  Call verified_close in either case.
 */
int verified_open(struct verified *v, struct cli *c, bool servers);
void verified_close(struct verified *v);
/* The question that the options ask, except for the model.  False after a usage error. */
bool verified_question(struct verified *v, struct verify_question *q);

/* Says what is known of the models that are done: "VIOLATED under pc".  Printed if a limit ends the
 * program, with the properties that are settled under the models being asked. */
void verified_known(struct verified *v, const char *text);

/* The answer is an error: says so.  EXIT_USAGE, or EXIT_BAD_INPUT if it is the program's. */
int verified_refuse(const struct verified *v, const struct verify_result *r);

/* Cross-checks every execution of the result; NULL and results that were checked before are
 * fine. */
void verified_ask(struct verified *v, const struct verify_result *r);
/* `robust`: likewise, whether a serial order explains them. */
void verified_ask_serial(struct verified *v, const struct verify_result *r);
/* After the last result: EXIT_HOLDS, or EXIT_INTERNAL if the history engine disagrees. */
int verified_agree(struct verified *v);

/* The part of a report that the options and the program determine. */
struct verify_view verified_view(const struct verified *v);
/* Warns of transactions that can never run, once for each. */
void verified_warn(const struct verified *v);

#endif
