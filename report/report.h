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
#include "base/strbuf.h"
#include "check/check.h"
#include "history/history.h"

struct check_report {
    const struct history *h;
    const char *file, *format;
    const struct check_answer *answers; /* with `strongest`: weakest first */
    size_t count;
    bool strongest;
    bool several_rows; /* the history has reads of several rows; without them PL-2.99 is SER */
    const struct stats *stats;
    bool quiet, verbose, color;
};

void report_check_text(const struct check_report *c, FILE *out);
void report_check_json(const struct check_report *c, FILE *out);
/* One graph: that of the first violation.  False: there is none, nothing was written. */
bool report_check_dot(const struct check_report *c, FILE *out);

/* --verify-certificate: the verdict on one certificate. */
struct certificate_verdict {
    const char *file, *certificate; /* of the history, of the certificate */
    const char *level;
    const char *claim; /* "satisfies" or "violates"; NULL: a certificate for the level is missing */
    const char *rejected; /* what is wrong with it; NULL: nothing */
    bool proves;          /* rejected, and yet it proves what it says: that is not what was asked */
};
void report_certificate_text(const struct certificate_verdict *v, bool color, FILE *out);
void report_certificate_json(const struct certificate_verdict *v, FILE *out);

/* --order: does the order explain the history?  sentence: why not, or NULL. */
void report_order_text(const char *file, const char *order, const char *sentence, bool quiet,
                       bool color, FILE *out);
void report_order_json(const char *file, const char *order, const char *sentence, FILE *out);
/* A result that no versions give: the history satisfies no level. */
void report_mismatch_text(const char *file, const char *sentence, bool quiet, bool color,
                          FILE *out);
/* After a violation: what complete version orders mean for it. */
void report_version_orders_remark(FILE *out);
/* Answers that did not stand when they were checked again, on standard error. */
void report_broken(const struct check_report *c);

/* The verdict over all levels: violation before unknown before OK.  With `strongest`: OK if some
 * level is satisfied and all levels are settled. */
enum check_verdict report_verdict(const struct check_report *c);
/* Is this the strongest satisfied level, or one of several such? */
bool report_is_strongest(const struct check_report *c, size_t answer);
/* Is it violated, while no weaker level is? */
bool report_is_weakest_violated(const struct check_report *c, size_t answer);

/* What a violation rules out, in words: "psi, si, ser (with or without session order); and adya-si,
 * strict-ser". */
void report_ruled_out_text(const struct history *h, const struct check_result *r,
                           struct strbuf *out);

#endif
