/* Reports of `visar check`: what is shown of verdicts, made from the history and the engine's
 * answers alone.
 *
 * One `struct check_report` holds everything that a run of the command found; the three printers
 * (text for people, JSON for programs, DOT for pictures) each show it whole. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/stats.h"
#include "check/check.h"
#include "history/history.h"

#define REPORT_SCHEMA "visar/1"

struct check_report {
    const struct history *h;
    const char *file, *format;
    const struct check_answer *answers; /* with `strongest`: weakest first */
    size_t count;
    bool strongest;
    bool several_rows; /* the history has reads of several rows; if not, PL-2.99 is SER */
    const struct stats *stats;
    bool quiet, verbose, color;
};

void report_check_text(const struct check_report *c, FILE *out);
void report_check_json(const struct check_report *c, FILE *out);
/* One graph: that of the first violation.  False: there is none, nothing was written. */
bool report_check_dot(const struct check_report *c, FILE *out);

/* --verify-certificate; `claim` is "satisfies" or "violates", or NULL where a certificate for the
 * level is missing; `rejected` says why the certificate proves nothing, or is NULL. */
void report_certificate_json(const char *file, const char *certificate, const char *level,
                             const char *claim, const char *rejected, FILE *out);

/* --order: a verdict of one sentence; NULL: fine. */
void report_sentence_json(const char *file, const char *order, const char *sentence, FILE *out);

/* The verdict over all levels: violation before unknown before OK.  With `strongest`: OK if some
 * level is satisfied and all levels are settled. */
enum check_verdict report_verdict(const struct check_report *c);
/* Is this the strongest satisfied level, or one of several such? */
bool report_is_strongest(const struct check_report *c, size_t answer);
/* Is it violated, and no weaker level: one of the first levels out of reach? */
bool report_is_weakest_violated(const struct check_report *c, size_t answer);

#endif
