/* Random programs.  The same seed gives the same program everywhere. */
#ifndef TESTS_CONFORMANCE_GENERATE_H
#define TESTS_CONFORMANCE_GENERATE_H

#include "tests/conformance/judge.h"

/* A program of two or three transactions that get in each other's way.  `group` is a level, or
 * CF_PG_MIXED or CF_MY_MIXED; levels of one database get the same statements, as far as they were
 * measured there. */
void cf_generate(uint64_t seed, unsigned group, struct cf_program *out);

#endif
