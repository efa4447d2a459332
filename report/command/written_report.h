/* `visar generate` and `visar convert`: what was written, for programs.  People look at the file.
 */
#ifndef REPORT_COMMAND_WRITTEN_REPORT_H
#define REPORT_COMMAND_WRITTEN_REPORT_H

#include <stdio.h>

#include "history/format/formats.h"

struct written {
    const struct history *history;
    const char *from;       /* convert: the format that was read; generate: NULL */
    const char *to;         /* the format that was written */
    const char *path;       /* "-": the history itself is on standard output, and nothing is said */
    const fmt_notes *notes; /* convert: what the new format cannot say */
};

void report_written_json(const struct written *w, FILE *out);

#endif
