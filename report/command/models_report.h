/* `visar models`: the table of models, weakest first, and what real databases call each model. */
#ifndef REPORT_COMMAND_MODELS_REPORT_H
#define REPORT_COMMAND_MODELS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/page/page.h"

/* quiet: the models alone, without axioms and databases. */
void report_models_text(const struct page *p, bool quiet);
void report_models_json(FILE *out);

#endif
