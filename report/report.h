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
    bool several_rows; /* the history has reads of several rows; without them PL-2.99 is SER */
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
/* "SI", "SI without session order", "strict SER", "strong SI", "GSI". */
const char *report_level(struct level level);
/* Is level a weaker than b, or the same? */
bool report_level_weaker_or_equal(struct level a, struct level b);
/* Is this the strongest satisfied level, or one of several such? */
bool report_is_strongest(const struct check_report *c, size_t answer);
/* Is it violated, while no weaker level is? */
bool report_is_weakest_violated(const struct check_report *c, size_t answer);

/* The models that a violation rules out, and what else the argument needs. */
struct report_ruled_out {
    uint32_t models;      /* bit set; all that are stronger than one of them are in it */
    bool needs_sessions;  /* the argument uses session order */
    bool needs_real_time; /* the argument uses real time: `models` is then empty */
    /* For report_rules_out_level. */
    uint32_t shapes;    /* bit set: the cycles are impossible under these, given their edges */
    bool needs_begins;  /* real time: that a commit came before a begin */
    bool needs_commits; /* real time: that a begin or a commit came before a commit */
    bool items;         /* no predicate read is part of the argument: it stands for PL-2.99 */
};
/* Is every cycle of a violation impossible under its level?  The certifier has checked the edges
 * one by one; this checks the whole cycles against the table of levels. */
bool report_refutes(const struct history *h, const struct check_result *r);
struct report_ruled_out report_rules_out(const struct history *h, const struct check_result *r);
/* Does the same argument rule out this level? */
bool report_rules_out_level(const struct report_ruled_out *o, struct level level);
/* The i-th name of the levels besides the models that the violation rules out, or NULL after the
 * last: "pl-2.99", "adya-si", "plain-ser", "gsi", "strong-si", "strict-ser". */
const char *report_ruled_out_extra(const struct report_ruled_out *o, size_t i);

#endif
