/* Conditions of sums that are bounds of an index: see sums.c. */
#ifndef ENCODE_PROOF_SUM_BOUNDS_H
#define ENCODE_PROOF_SUM_BOUNDS_H

#include "encode/proof/formula.h"

/* A side of a comparison as coefficient * var + rest.  False: var occurs in another way. */
bool sum_linear(struct fm *fm, term_id t, term_id var, term_int *coefficient, term_id *rest);

/* var < at (upper), or at <= var. */
struct sum_bound {
    term_id var, at;
    bool upper;
};
/* What the condition says about the variable; false: it is no bound of it. */
bool sum_bound_of(struct fm *fm, term_id condition, term_id var, struct sum_bound *b);
term_id sum_bound_condition(struct fm *fm, const struct sum_bound *b, term_id at);
/* Is the bound a cell (or what mentions one) and a small constant, an ADD with the constant on the
 * right, or one of two, an ITE?  It must not mention the indices of folds. */
bool sum_bound_moves(struct fm *fm, const struct sum_bound *b);

#endif
