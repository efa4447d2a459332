/* Certificates as files: the order that proves that a history satisfies a level, in a form that
 * another program, or a patient person, can check as well.
 *
 *     visar-certificate 1
 *     level si session-order=on real-time=none clock-drift=0
 *     order events 4
 *     b 0.0
 *     b 1.0
 *     c 1.0
 *     c 0.0
 *     end
 *
 * The orders are those of enum check_order_kind: `serial` and `arbitration` have lines `t S.I`, the
 * I-th transaction of the S-th session (from 0, all statuses counted); `events` has `b S.I` for its
 * begin and `c S.I` for its commit.  The last line tells a whole file from one that was cut off. */
#ifndef REPORT_CERTIFICATE_H
#define REPORT_CERTIFICATE_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/io.h"
#include "history/check.h"

/* r is an OK. */
void certificate_write(const struct history *h, const struct check_result *r, int64_t clock_drift,
                       FILE *out);
/* Fill level, verdict (OK), order_kind and order of *r, which the caller frees in any case.  NULL,
 * or a message with its place.  What the order is worth is for the certifier to say. */
const char *certificate_read(const char *path, const struct history *h, struct arena *messages,
                             struct check_result *r, int64_t *clock_drift);

#endif
