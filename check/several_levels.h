/* Behind the door (check.h): the answers for several levels.
 *
 * The walk begins at the top of the lattice and shares what it learns: a satisfied level settles
 * all weaker ones.  With `strongest`, a violation settles every level under which the same cycles
 * are impossible (certify/ruled_out.h), so that most levels are never checked; the weakest levels
 * that are violated are then asked for a reason of their own, in their own terms. */
#ifndef CHECK_SEVERAL_LEVELS_H
#define CHECK_SEVERAL_LEVELS_H

#include "check/check.h"
#include "check/lowered_question.h"

/* The answers are set up, each UNKNOWN and settled by itself. */
void several_levels(struct check_lowering *x, const struct check_request *q,
                    struct check_answers *a);

#endif
