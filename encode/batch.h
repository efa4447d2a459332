/* Several questions about one program, answered in parallel.
 *
 * A verify_program is used by one thread at a time, so a batch opens one for each thread that it
 * needs.  Answers refer to the program that gave them: they live as long as the batch. */
#ifndef ENCODE_BATCH_H
#define ENCODE_BATCH_H

#include "encode/verify.h"

struct batch;

/* jobs: threads at most, 0 for one per processor.  NULL: see the diagnostics. */
struct batch *batch_open(struct ast_program *ast, const struct verify_options *options,
                         unsigned jobs, struct diag_list *d);
/* Frees all answers too. */
void batch_close(struct batch *b);

/* answers[i] answers questions[i] and is never NULL.  If there are fewer questions than threads,
 * the remaining threads help (question.spare).  `questions[i].stats`, which questions may share, is
 * added to afterwards. */
void batch_run(struct batch *b, const struct verify_question *questions, size_t n,
               struct verify_result **answers);
unsigned batch_jobs(const struct batch *b);

#endif
