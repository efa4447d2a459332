/* The operations of a transaction of a story, as a short list: similar operations are joined into
 * one, and if there are too many, those that the argument mentions stay. */
#ifndef REPORT_STORY_OPERATIONS_H
#define REPORT_STORY_OPERATIONS_H

#include "report/story/story.h"

/* "read(x) = 1, read(each of 4 to 59) = null, write(y, 2), … 3 others"; with no-break spaces where
 * a line is better not broken. */
void operations_text(const struct history *h, const struct story_txn *x, struct strbuf *out);

#endif
