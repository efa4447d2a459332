/* Names and values from a history in forms that are safe to show.
 *
 * Keys, values and names come from files that anybody may have written: a name may hold line
 * breaks, terminal escapes, text that runs backwards, or bytes that are no text at all.  These
 * functions let nothing of the kind through. */
#ifndef REPORT_PAGE_WORDS_H
#define REPORT_PAGE_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "history/history.h"

#define WORDS_LONG 64 /* bytes of one name or value before the text report elides */
#define WORDS_ALL SIZE_MAX

/* n bytes of s; control characters and broken UTF-8 as \n, \t, \xNN or \u{NNNN}.  What is longer
 * than `longest` bytes is cut in the middle, with an ellipsis. */
void words_safe(const char *s, size_t n, size_t longest, struct strbuf *out);
/* The same text as valid UTF-8, otherwise unchanged: broken bytes become U+FFFD.  For JSON, which
 * has its own escapes. */
void words_utf8(const char *s, size_t n, struct strbuf *out);
/* As the inside of a quoted string of the DOT language that is shown as the text is. */
void words_dot(const char *s, size_t n, struct strbuf *out);

void words_key(const struct history *h, uint32_t key, struct strbuf *out);
/* What a read returned: a value or a list, long lists elided in the middle. */
void words_result(const struct history *h, uint32_t op, struct strbuf *out);
/* "count where price > 10, which gave 2": what a row of an aggregate was read for. */
void words_aggregate(const struct history *h, uint32_t op, struct strbuf *out);
/* "read(x) = 3", as hist_op_text, but safe and elided. */
void words_op(const struct history *h, uint32_t op, struct strbuf *out);
/* Are the words for both the same but for the row? */
bool words_alike(const struct history *h, uint32_t a, uint32_t b);
/* Operations that are alike: "read(each of 4 to 59) = null", "read(a, d, f and 3 others) = 0". */
void words_ops(const struct history *h, const uint32_t *ops, uint32_t n, struct strbuf *out);
/* Adds a text that is better not broken across lines, unless it is long. */
void words_whole(const struct strbuf *text, struct strbuf *out);
/* "3", "client 3" */
void words_session(const struct history *h, uint32_t session, struct strbuf *out);
void words_txn(const struct history *h, uint32_t txn, struct strbuf *out);

#endif
