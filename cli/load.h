/* Opening a C program: what `verify`, `weakest` and `summary` have in common. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/cli.h"
#include "encode/verify.h"
#include "frontend/ast.h"

/* Parses the one operand with the flags that follow "--".  Warnings are printed.  EXIT_HOLDS and
 * *out, or the code to exit with, everything having been said. */
int program_open(struct cli *c, struct ast_program **out);

/* What the options --granularity, --check and --unwind say. */
struct verify_options program_options(const struct cli *c);

/* The question that --scenario, --txns, --bounded, --prove, --observe, --no-session-order ask, but
 * for the model.  False after a usage error. */
bool program_question(struct cli *c, const struct ast_program *ast, struct verify_question *q);

/* --dump ast and --dump summary are what `visar summary` prints; a stage that does not exist is for
 * it to refuse, too. */
bool program_dumps(const struct cli *c);

/* "si", "si,psi", "all" to models, weakest first.  False after a usage error. */
bool program_models(struct cli *c, const char *list, bool wanted[]);

#endif
