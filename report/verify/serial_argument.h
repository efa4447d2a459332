/* Why no serial order explains an execution. */
#ifndef REPORT_VERIFY_SERIAL_ARGUMENT_H
#define REPORT_VERIFY_SERIAL_ARGUMENT_H

#include "check/check.h"
#include "report/page/page.h"

/* r: the history engine's answer at serializability, a violation. */
void report_serial_argument(const struct page *p, const struct check_result *r);

#endif
