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

/* The answer for one level.  With --strongest, many levels are settled by the answer for another
 * one: a satisfied level satisfies all weaker ones, and a violation may rule out several. */
struct report_answer {
    const char *name; /* of the level, as on the command line: "si" */
    struct level level;
    enum check_verdict verdict;
    const struct check_result *result; /* of the level that was checked */
    size_t by;                         /* index of the answer that was checked; its own if it was */
    double seconds;                    /* user time of the check; 0 if settled by another */
};

struct check_report {
    const struct history *h;
    const char *file, *format;
    const struct report_answer *answers; /* with `strongest`: weakest first */
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
/* "SI", "SI without session order", "strict SER", "strong SI", "GSI". */
const char *report_level(struct level level);
/* Is level a weaker than b, or the same? */
bool report_level_weaker_or_equal(struct level a, struct level b);
/* Is this the strongest satisfied level, or one of several such? */
bool report_is_strongest(const struct check_report *c, size_t answer);
/* Is it violated, and no weaker level: one of the first levels out of reach? */
bool report_is_weakest_violated(const struct check_report *c, size_t answer);

/* What a violation rules out: the models, and what has to hold beside them. */
struct report_ruled_out {
    uint32_t models;      /* bit set; all that are stronger than one of them are in it */
    bool needs_sessions;  /* the argument uses session order */
    bool needs_real_time; /* … the real-time order: `models` is then empty */
    /* For report_rules_out_level. */
    uint32_t shapes;    /* bit set: the cycles are impossible under these, given their edges */
    bool needs_begins;  /* real time: that a commit came before a begin */
    bool needs_commits; /* … that a begin or a commit came before a commit */
    bool items;         /* no predicate read is part of the argument: it stands for PL-2.99 */
};
/* Is every cycle of a violation impossible under its level?  The engine's certifier has looked at
 * the edges one by one; this looks at the whole, from the table of levels. */
bool report_refutes(const struct history *h, const struct check_result *r);
struct report_ruled_out report_rules_out(const struct history *h, const struct check_result *r);
/* Does the same argument rule out the level, whatever it is? */
bool report_rules_out_level(const struct report_ruled_out *o, struct level level);
/* The names of the levels that are no models and that it rules out, one after the other, then NULL:
 * "pl-2.99", "adya-si", "plain-ser", "gsi", "strong-si", "strict-ser". */
const char *report_ruled_out_extra(const struct report_ruled_out *o, size_t i);
/* All of them in words: "psi, si, ser (with or without session order); and adya-si, strict-ser". */
void report_ruled_out_text(const struct history *h, const struct check_result *r,
                           struct strbuf *out);

#endif
