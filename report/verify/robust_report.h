/* Reports of `visar robust`: those of `verify` about one property, that every execution is
 * equivalent to a serial one. */
#ifndef REPORT_VERIFY_ROBUST_REPORT_H
#define REPORT_VERIFY_ROBUST_REPORT_H

#include "report/verify/verify_report.h"

void report_robust_text(const struct verify_view *v, FILE *out);
void report_robust_json(const struct verify_view *v, FILE *out);

#endif
