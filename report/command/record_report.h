/* `visar record`: what came of it. */
#ifndef REPORT_COMMAND_RECORD_REPORT_H
#define REPORT_COMMAND_RECORD_REPORT_H

#include <stdio.h>

#include "database/record.h"

/* quiet: one line, and invariants that are false. */
void report_record_text(const struct record_options *o, const struct record_result *r, bool quiet,
                        FILE *out);
void report_record_json(const struct record_options *o, const struct record_result *r, FILE *out);
/* What went wrong, on standard error.  limit: the limit that ended it, or NULL. */
void report_record_trouble(const struct record_result *r, const char *limit);

#endif
