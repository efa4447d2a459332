/* Sentences: what an edge, a cycle, a hypothesis or an anomaly of single operations means, in words
 * that fit the level.  Used by the text report and, word for word, by JSON. */
#ifndef REPORT_STORY_PHRASES_H
#define REPORT_STORY_PHRASES_H

#include "report/story/story.h"

/* "T3 read x = 4, which T7 overwrote with 5, so T3's snapshot was taken before T7 committed".
 * `inside` is the case whose cycle the edge belongs to, or HIST_NONE. */
void phrase_edge(const struct story *s, const struct check_edge *e, uint32_t inside,
                 struct strbuf *out);
/* Why the cycle is impossible under the level. */
void phrase_cycle(const struct story *s, uint32_t cycle, struct strbuf *out);
/* The cases leave a read without a source. */
void phrase_no_source(const struct story *s, struct strbuf *out);
/* "T3's x = 4 is older than T7's x = 5" or its opposite. */
void phrase_hypothesis(const struct story *s, const struct check_case *c, struct strbuf *out);
/* What refutes a case, where that is not a cycle, and "So ". */
void phrase_refutation(const struct story *s, const struct check_case *c, struct strbuf *out);
void phrase_opposite(const struct story *s, const struct check_case *c, struct strbuf *out);
/* What the operations of an anomaly without cycle show. */
void phrase_anomaly(const struct story *s, struct strbuf *out);

#endif
