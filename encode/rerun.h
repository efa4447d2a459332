/* Confirmation of a counterexample: the concrete interpreter runs every transaction on exactly the
 * snapshot that the execution gives it, and the property is evaluated on the resulting state. */
#ifndef ENCODE_RERUN_H
#define ENCODE_RERUN_H

#include "encode/verify.h"

/* NULL if the execution is confirmed and violates the property; else what does not agree. */
const char *replay_confirm(struct ast_program *ast, const struct execution *x,
                           const struct verify_property *property, struct arena *messages);
/* Of a built-in check that fails in the execution, the values: "index -1, allowed 0..3", "100 / 0".
 * NULL: none. */
const char *replay_values(struct ast_program *ast, const struct execution *x,
                          const struct verify_property *property, struct arena *a);

#endif
