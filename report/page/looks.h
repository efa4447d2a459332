/* Rows as reads of several rows see them, in words.
 *
 * The engine works on items (history/lower/lower.h): whether a row matches what somebody looks for
 * is a key of its own, and a key that a range did not return is a read of nothing.  A report says
 * what the user did: who looked for what, and did or did not find which row. */
#ifndef REPORT_PAGE_LOOKS_H
#define REPORT_PAGE_LOOKS_H

#include "base/strbuf.h"
#include "history/history.h"

/* Is the key a row as a predicate sees it? */
bool look_is_match(const struct history *h, uint32_t key);
/* Is the key a row of an aggregate with a version set? */
bool look_is_item(const struct history *h, uint32_t key);
/* Is the read a search that found a row or did not: a read of such a key, or in a range? */
bool look_is_search(const struct history *h, uint32_t op);

/* For an operation on such a key: does the version match? */
bool look_matches(const struct history *h, uint32_t op);
/* The row of such a key; for any other key, the key itself. */
uint32_t look_row(const struct history *h, uint32_t key);
/* "dept = 'it'" */
void look_condition(const struct history *h, uint32_t key, struct strbuf *out);
/* "rows where dept = 'it'", "the range 7 … 12", of a search. */
void look_target(const struct history *h, uint32_t op, struct strbuf *out);

#endif
