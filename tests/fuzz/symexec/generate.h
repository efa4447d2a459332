/* Random programs of the subset. */
#ifndef FUZZ_SYMEXEC_GENERATE_H
#define FUZZ_SYMEXEC_GENERATE_H

#include <stdint.h>

#include "base/strbuf.h"

/* A program with n transactions t0 …, and with functions of the other roles; the same seed gives
 * the same program.  One statement (or opening or closing line) per line, so that lines can be
 * removed to shrink it; a function begins with its head and ends with "}", both at the margin. */
void generate_program(uint64_t seed, unsigned n, struct strbuf *out);
/* The same with tables of any size and folds; n functions in all. */
void generate_folds(uint64_t seed, unsigned n, struct strbuf *out);

uint64_t random_next(uint64_t *state);
uint64_t random_below(uint64_t *state, uint64_t n);

#endif
