/* Robustness: is every execution that the model allows equivalent to a serial one?
 *
 * What counts is the history: which version each read saw, and which version of each row is the
 * last.  The execution is serializable if some order of its transactions, which keeps session order
 * and has each call after those whose results it uses, explains that (docs/semantics.md).
 *
 * "There is an execution that no order explains" has a quantifier too many for one formula.  So
 * (robust.c) the solver looks for an execution whose dependencies with the versions in the order of
 * ar are cyclic, which every execution that is not serializable has; the history engine judges it
 * (run_robust.c), and if some other order explains it, that order is refuted: from then on only
 * executions are looked for that it does not explain, whatever their values.  There are finitely
 * many orders, so this comes to an end, and the answer is exact.
 *
 * For any number of transactions robust_proof.c has a static argument. */
#ifndef ENCODE_ROBUST_H
#define ENCODE_ROBUST_H

#include "encode/enc.h"
#include "encode/result/properties.h"

struct robust;

/* Of an event encoding. */
struct robust *robust_new(struct enc *e);
void robust_free(struct robust *r);
/* An execution that counts, whose dependencies are cyclic and that no refuted order explains. */
uint32_t robust_goal(const struct robust *r);
/* After ENC_YES: the order explains the execution of the model.  Position by transaction of the
 * execution, which are the problem's that are present.  False: it does not. */
bool robust_refute(struct robust *r, const uint32_t *position);

/* The one property of a question about robustness. */
const struct properties *robust_properties(struct arena *a);
/* The final state becomes the execution's observer: it belongs to the history. */
void robust_observe(struct execution *x);

/* Any number of transactions of the program, each in a session of its own.  NULL: every execution
 * at the level is serializable.  Else why that is not proved (owned by the arena). */
const char *robust_prove(struct sx_program *sx, const struct model *level, struct z3ctx_pool *pool,
                         struct arena *arena);

#endif
