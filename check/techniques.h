/* The table of the engine's techniques, from candidate orders to the solver: the agenda
 * (agenda.h) gives each its turn.  To add a technique is to add a row in techniques.c. */
#ifndef CHECK_TECHNIQUES_H
#define CHECK_TECHNIQUES_H

#include "check/problem/question.h"

/* Does the history satisfy the level?  The answer is not certified.  UNKNOWN if the budget of the
 * options is over, or a limit is reached.  r->technique says who answered. */
void techniques_judge(const struct history *h, const struct check_options *o,
                      struct check_result *r);

#endif
