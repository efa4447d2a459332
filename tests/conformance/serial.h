/* Serial executions: one transaction after the other. */
#ifndef TESTS_CONFORMANCE_SERIAL_H
#define TESTS_CONFORMANCE_SERIAL_H

#include "tests/conformance/conformance.h"

/* Adds the outcomes of running the transactions one after the other in this order: none if a
 * transaction fails, several if there is SKIP LOCKED, whose choices are free. */
void serial_outcomes(const struct cf_program *p, const struct cf_order *order,
                     struct cf_outcomes *out);
/* The same for all orders of these transactions, for serial_explains. */
void serial_orders(const struct cf_program *p, const struct cf_order *order,
                   struct cf_outcomes *out);
/* Is there a serial order in which everybody sees the same, and that ends with the same rows? */
bool serial_explains(const struct cf_outcomes *serial, const struct cf_outcome *o);

/* Goes to the next permutation of the order, in lexicographic order; false after the last one. */
bool next_order(struct cf_order *order);

#endif
