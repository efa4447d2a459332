/* Anomalies of single operations, put into a result. */
#ifndef CHECK_PROBLEM_FINDING_H
#define CHECK_PROBLEM_FINDING_H

#include "check/problem/question.h"

/* A violation shown by one or two operations (op2 is HIST_NONE for one). */
void finding_report(struct check_result *r, const struct history *h, enum anomaly a, uint32_t op1,
                    uint32_t op2);
/* The read `op` of a committed transaction has no possible writer; this finds the anomaly's name.
 * status and cls are those of match_internal.h. */
void finding_unmatched(struct check_result *r, const struct history *h, const uint8_t *status,
                       const uint8_t *cls, uint32_t op);
/* The list read `op` shows an element that no counted transaction appended. */
void finding_element(struct check_result *r, const struct history *h, const uint8_t *status,
                     uint32_t op, int64_t value);
/* The list read `op` shows an element more often than it was appended; an aborted transaction may
 * have appended the surplus. */
void finding_repeated(struct check_result *r, const struct history *h, uint32_t op, int64_t value);
/* UNKNOWN, with the reason: the history is outside of what can be decided. */
void finding_unknown(struct check_result *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
