/* The guards behind the door (check.h) that look at more than one answer's own certificate. */
#ifndef CHECK_GUARD_H
#define CHECK_GUARD_H

#include "check/check.h"
#include "check/lowered_question.h"

/* The answer for the level of the options, on what that level sees of the history.  It has passed
 * the guards that look at one level, or it is CHECK_BROKEN.  There is no other way from the search
 * to an answer. */
void guard_check(struct check_lowering *x, const struct check_options *o, struct check_result *r);
/* The answers for several levels must not contradict each other: a level that is violated has no
 * satisfied level above it.  Those that do become CHECK_BROKEN. */
void guard_lattice(const struct lattice *l, struct check_answers *a);

#endif
