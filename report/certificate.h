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

#include <stdio.h>

#include "base/arena.h"
#include "history/certify.h"

void report_certificate_write(const struct history *h, const struct certificate *c, FILE *out);
/* Fill *out from the file's text, which is changed; its order is owned by the arena.  NULL, or what
 * was expected on which line.  What the order is worth is for certify_order to say. */
const char *report_certificate_read(char *text, size_t size, const struct history *h,
                                    struct arena *a, struct certificate *out);

#endif
