/* Making a program smaller while something stays true of it. */
#ifndef TESTS_ORACLE_REDUCE_H
#define TESTS_ORACLE_REDUCE_H

#include "tests/oracle/oracle.h"

/* Is it still true of this program? */
typedef bool (*orc_test)(const struct orc_prog *p, void *arg);

/* The smallest program that leaving out transactions, predicates, statements and parts of
 * expressions one by one leads to.  `still` is true of `p` and of the result. */
void orc_prog_reduce(const struct orc_prog *p, orc_test still, void *arg, struct orc_prog *small);

#endif
