/* What the certify_*.c files share. */
#ifndef HISTORY_CERTIFY_INTERNAL_H
#define HISTORY_CERTIFY_INTERNAL_H

#include "history/certify.h"

const char *certify_arbitration(const struct history *h, const struct certificate *c,
                                struct arena *messages);

#endif
