/* The history engine: does a history satisfy an isolation level?
 *
 *     struct check_options o = check_defaults();
 *     level_find("si", &o.level);
 *     struct check_result r;
 *     check_history(h, &o, &r);
 *     … r.verdict, r.anomaly, r.cycles … r.order …
 *     check_result_free(&r);
 *
 * Every answer is certified before it is returned (certify.h): an OK by replaying an order of the
 * transactions, a VIOLATION by one or two operations or by cycles of which every edge follows from
 * the history.  An answer that fails its certification becomes CHECK_BROKEN: a bug of this program,
 * exit code 6, never a verdict. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "check/problem/question.h"

/* Predicate reads other than ranges must have been lowered before (lower.h); for LEVEL_ITEMS_ONLY,
 * ranges as well.  The answer is UNKNOWN if they have not been. */
void check_history(const struct history *h, const struct check_options *o, struct check_result *r);

#endif
