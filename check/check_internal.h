/* What check.c and certificate_check.c share. */
#ifndef CHECK_CHECK_INTERNAL_H
#define CHECK_CHECK_INTERNAL_H

#include "check/check.h"
#include "check/lowered_question.h"

/* Sets up the answers and puts the history in terms of items, as the levels (which need not be
 * those of the request) and what a certificate says (or NULL) need it.  False: there is nothing to
 * look for, see check_answers. */
bool door_open(const struct history *h, const struct check_request *q, const struct level *levels,
               size_t count, const struct certificate_items *named, struct check_answers *a);

#endif
