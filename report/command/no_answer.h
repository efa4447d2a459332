/* Answers that are no verdict: UNKNOWN, because a limit was reached, and ERROR, where one of
 * several histories cannot be read. */
#ifndef REPORT_COMMAND_NO_ANSWER_H
#define REPORT_COMMAND_NO_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

struct no_answer {
    const char *command;
    const char *file; /* or NULL: none was named */
    const char *reason;
    const char *known;         /* UNKNOWN: what is known so far, or NULL */
    const char *limit, *phase; /* UNKNOWN: the limit, and what was running; or NULL */
    bool one_of_several;       /* the text names the file */
    bool json, quiet, color;
};

/* Whole lines, flushed. */
void report_unknown(const struct no_answer *a, FILE *out);
/* The file is named in any case. */
void report_error(const struct no_answer *a, FILE *out);

#endif
