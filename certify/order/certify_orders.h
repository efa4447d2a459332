/* Orders of transactions and of events, for the rooms of certify/; see certify.h. */
#ifndef CERTIFY_ORDER_CERTIFY_ORDERS_H
#define CERTIFY_ORDER_CERTIFY_ORDERS_H

#include "certify/certify.h"

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

#endif
