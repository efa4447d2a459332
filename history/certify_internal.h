/* What the certify_*.c files share. */
#ifndef HISTORY_CERTIFY_INTERNAL_H
#define HISTORY_CERTIFY_INTERNAL_H

#include "history/certify.h"
#include "history/facts.h"

/* Serial orders and orders of events, without regard to version orders that are on record. */
const char *certify_events(const struct history *h, const struct certificate *c,
                           struct arena *messages);
/* Arbitration orders.  `absent`: rows that were not returned are looked at, too; or NULL. */
struct absent;
const char *certify_arbitration(const struct history *h, const struct certificate *c,
                                struct absent *absent, struct arena *messages);
const char *certify_anomaly(struct hist_facts *f, const struct check_options *o,
                            const struct check_result *r, struct arena *messages);

#endif
