/* What `verify` and `weakest` have in common: a program, threads for questions about it, second
 * opinions on the answers, and the end. */
#ifndef CLI_VERIFIED_H
#define CLI_VERIFIED_H

#include <pthread.h>

#include "cli/cross_check.h"
#include "cli/load.h"
#include "encode/batch.h"

/* Something that is known of a property before its model is done. */
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
    VEC(const struct verify_result *) asked; /* those that opinions were asked on */
    pthread_mutex_t lock;                    /* of the two below, and of the arena */
    const char *models_known;                /* "" or what is known of the models that are done */
    VEC(struct verified_news) news;          /* … and of those that are not */
};

/* Opens the program and the batch: EXIT_HOLDS, or the code to exit with, everything having been
 * said.  Close in either case. */
int verified_open(struct verified *v, struct cli *c);
void verified_close(struct verified *v);
/* What the options say: the question, but for the model.  False after a usage error. */
bool verified_question(struct verified *v, struct verify_question *q);

/* What is known now of the models that are done: "VIOLATED under pc".  Printed if a limit ends the
 * program, with the properties that are settled under the models being asked. */
void verified_known(struct verified *v, const char *text);

/* The answer is an error: says so.  EXIT_USAGE, or EXIT_BAD_INPUT if it is the program's. */
int verified_refuse(const struct verified *v, const struct verify_result *r);

/* Second opinions on every execution of the result; NULL and results asked before are fine. */
void verified_ask(struct verified *v, const struct verify_result *r);
/* After the last: EXIT_HOLDS, or EXIT_INTERNAL where the history engine disagrees. */
int verified_agree(struct verified *v);

/* The part of a report that the options and the program determine. */
struct verify_view verified_view(const struct verified *v);
/* Transactions that cannot run, once for each: a warning. */
void verified_warn(const struct verified *v);

#endif
