/* What the certify_*.c files share. */
#ifndef HISTORY_CERTIFY_INTERNAL_H
#define HISTORY_CERTIFY_INTERNAL_H

#include "history/certify.h"
#include "history/facts.h"

const char *certify_arbitration(const struct history *h, const struct certificate *c,
                                struct arena *messages);
const char *certify_anomaly(struct hist_facts *f, const struct check_options *o,
                            const struct check_result *r, struct arena *messages);

#endif
