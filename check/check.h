/* The history engine: does a history satisfy an isolation level?
 *
 *     struct check_options o = check_defaults();
 *     level_find("si", &o.level);
 *     struct check_result r;
 *     check_history(h, &o, &r);
 *     … r.verdict, r.anomaly, r.cycles … r.order …
 *     check_result_free(&r);
 *
 * Every answer is certified before it is returned (certify.h): an OK by an order of the
 * transactions that was replayed, a VIOLATION by an anomaly of single operations or by cycles whose
 * every edge follows from the history.  An answer that fails its own certification is CHECK_BROKEN:
 * a bug of ours, exit code 6, never a verdict. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "check/problem/question.h"

/* A history with predicate reads other than ranges must have gone through lower.h, and so must one
 * with ranges for LEVEL_ITEMS_ONLY: otherwise the answer is UNKNOWN. */
void check_history(const struct history *h, const struct check_options *o, struct check_result *r);

#endif
