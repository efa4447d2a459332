/* The parts that sentences are made of. */
#ifndef REPORT_STORY_PARTS_H
#define REPORT_STORY_PARTS_H

#include "report/story/story.h"

const struct hist_op *part_op(const struct story *s, uint32_t op);
/* The name of the transaction of an operation. */
const char *part_owner(const struct story *s, uint32_t op);
/* "x", "key 7" */
void part_key(const struct story *s, uint32_t key, struct strbuf *out);
/* "x = 4": what an operation read or wrote. */
void part_version(const struct story *s, uint32_t op, struct strbuf *out);
/* Is the read a row of an aggregate, of an unknown version? */
bool part_is_row(const struct story *s, uint32_t op);
/* "count where x > 1, which gave 2, and saw T3's x = 4". */
void part_row(const struct story *s, uint32_t op, uint32_t seen, struct strbuf *out);
/* "T3's x = 4"; HIST_NONE: "the initial value of x". */
void part_owned(const struct story *s, uint32_t op, uint32_t key, struct strbuf *out);
/* A search (looks.h): "looked for rows where dept = 'it' and did not find x". */
void part_search(const struct story *s, uint32_t op, struct strbuf *out);
/* "as T3 had written it", "as it was at first" */
void part_as_seen(const struct story *s, uint32_t write, struct strbuf *out);
/* What a write did to a row that a search had found (before) or not: "changed so that it matches",
 * "inserted with the value 4". */
void part_change(const struct story *s, uint32_t write, bool before, struct strbuf *out);
/* "wrote x = 4", "appended 4 to x" */
void part_write(const struct story *s, uint32_t op, struct strbuf *out);

#endif
