/* `visar summary`: the summaries of all functions, in the names of the user's program. */
#ifndef REPORT_COMMAND_SUMMARY_REPORT_H
#define REPORT_COMMAND_SUMMARY_REPORT_H

#include <stdio.h>

#include "report/page/page.h"
#include "symexec/summary.h"

void report_summary_text(const struct sx_program *p, const struct diag_list *d,
                         const struct page *page);
/* docs/json.md describes it. */
void report_summary_json(const struct sx_program *p, const struct diag_list *d, FILE *out);

#endif
