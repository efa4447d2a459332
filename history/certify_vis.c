/* Certificates of the levels without one snapshot order; see certify.h. */
#include "history/certify_internal.h"

const char *certify_arbitration(const struct history *h, const struct certificate *c,
                                struct arena *messages)
{
    (void)h, (void)c, (void)messages;
    return "arbitration orders are not supported";
}
