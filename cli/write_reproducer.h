/* `--reproducer FILE`: the counterexample as a C program that includes the user's source. */
#ifndef CLI_WRITE_REPRODUCER_H
#define CLI_WRITE_REPRODUCER_H

#include "cli/cli.h"
#include "encode/verify.h"

/* EXIT_HOLDS, or the code to exit with, everything having been said. */
int reproducer_save(struct cli *c, struct ast_program *ast, const struct verify_result *r,
                    const struct verify_verdict *d);

#endif
