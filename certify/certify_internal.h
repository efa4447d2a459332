/* What the certify_*.c files share. */
#ifndef CERTIFY_CERTIFY_INTERNAL_H
#define CERTIFY_CERTIFY_INTERNAL_H

#include "certify/certify.h"
#include "certify/history_facts.h"
#include "certify/refutation.h"

/* Serial orders and orders of events, without regard to version orders that are on record. */
const char *certify_events(const struct history *h, const struct certificate *c,
                           struct arena *messages);
/* Arbitration orders.  `absent`: rows that were not returned are looked at, too; or NULL. */
struct missing_rows;
const char *certify_arbitration(const struct history *h, const struct certificate *c,
                                struct missing_rows *absent, struct arena *messages);
/* In the order of the certificate, later versions on record are committed later. */
const char *certify_version_orders(const struct history *h, const struct certificate *c,
                                   struct arena *messages);
const char *certify_anomaly(struct hist_facts *f, const struct certify_question *o,
                            const struct check_result *r, struct proof_reader *proofs,
                            struct arena *messages);

#endif
