/* What the files of the term store share; not for other code. */
#ifndef SYMEXEC_TERM_INTERNAL_H
#define SYMEXEC_TERM_INTERNAL_H

#include "symexec/term.h"

/* Find or make a term, without simplification; its interval is computed here, and an Int term
 * whose interval is one value becomes that constant. */
term_id term_make(struct term_store *s, enum term_op op, int bits, bool is_signed, term_id a,
                  term_id b, term_id c);

/* Interval arithmetic that saturates at TERM_MIN and TERM_MAX (term_range.c). */
struct term_range {
    term_int lo, hi;
};
struct term_range term_range_of(const struct term_store *s, const struct term *t);
term_int term_floor_div(term_int a, term_int positive);

/* A linear form: k + Σ coef[i] * atom[i], atoms distinct (term_linear.c). */
struct term_linear {
    size_t n;
    int depth; /* sums expanded so far */
    term_id atom[TERM_LINEAR_MAX];
    term_int coef[TERM_LINEAR_MAX];
    term_int k;
};
/* Add coef * t to the form; false (form unusable) if it gets too long or too large. */
bool term_linear_add(const struct term_store *s, struct term_linear *f, term_id t, term_int coef);
void term_linear_sort(struct term_linear *f); /* by atom; drops zero coefficients */
/* The sum of the entries whose coefficient has the given sign (0: all), times that sign, plus k. */
term_id term_linear_build(struct term_store *s, const struct term_linear *f, int sign, term_int k);

#endif
