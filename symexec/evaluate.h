/* The values of a summary's terms for given inputs, rows and number of rows, folds included. */
#ifndef SYMEXEC_EVALUATE_H
#define SYMEXEC_EVALUATE_H

#include "symexec/summary.h"

struct sx_evaluator;
/* The value of any leaf but SIZE, BOUND and FOLD.  It may evaluate other terms; those of a read's
 * row are about the indices that are bound at the moment. */
typedef term_int (*sx_leaf_fn)(void *arg, struct sx_evaluator *e, uint32_t leaf);

struct sx_evaluator {
    const struct sx_program *program;
    const struct sx_summary *summary;
    term_int size; /* of the dimensions of any size */
    sx_leaf_fn leaf;
    void *arg;
    /* From here on zeroed at first. */
    term_int bound[32];              /* by depth */
    VEC(struct term_evaluator *) at; /* with nothing bound, one index, … */
    size_t level;
};

term_int sx_evaluate(struct sx_evaluator *e, term_id t);
/* Call fn for every value of the bound leaves of a part of the summary, which are bound meanwhile.
 */
void sx_evaluate_each(struct sx_evaluator *e, const struct sx_bound *bound, uint32_t n,
                      void (*fn)(void *arg, struct sx_evaluator *e), void *arg);
/* Forget all values: inputs, rows or the number of rows have changed. */
void sx_evaluator_reset(struct sx_evaluator *e);
void sx_evaluator_free(struct sx_evaluator *e);

#endif
