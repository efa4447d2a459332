/* Opening a C program: what `verify`, `weakest` and `summary` have in common. */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/cli.h"
#include "encode/verify.h"
#include "frontend/ast.h"

/* Parses the one operand with the flags that follow "--" and prints warnings.  Returns EXIT_HOLDS
 * and *out, or an exit code after it has printed the errors. */
int program_open(struct cli *c, struct ast_program **out);

/* Refuses a program with words that no model takes into account.  Returns EXIT_HOLDS, or an exit
 * code after it has printed the errors. */
int program_judged(struct cli *c, const struct ast_program *ast);
/* Also refuses words that a recorded database knows nothing of. */
int program_recorded(struct cli *c, const struct ast_program *ast);

/* What the options --granularity, --check and --unwind say. */
struct verify_options program_options(const struct cli *c);

/* The question that --scenario, --txns, --bounded, --prove, --observe and --no-session-order ask,
 * except for the model.  False after a usage error. */
bool program_question(struct cli *c, const struct ast_program *ast, struct verify_question *q);

/* --dump ast and --dump summary are what `visar summary` prints; a stage that does not exist is for
 * it to refuse, too. */
bool program_dumps(const struct cli *c);

/* "si", "si,psi", "all" to models, weakest first.  False after a usage error. */
bool program_models(struct cli *c, const char *list, bool wanted[]);
/* Is one of the models of the option --model a level of a server? */
bool program_names_server(struct cli *c);

#endif
