/* Histories of lists, decided by running them: no matching, no graph.
 *
 * If all lists read from a key are prefixes of one, that one is the order of its versions, and a
 * transaction can tell by itself when its turn has come: when each list that it read is as long as
 * it saw it, and the next element of each list that it appends to is its own. */
#ifndef CHECK_PROBLEM_LISTS_H
#define CHECK_PROBLEM_LISTS_H

#include "check/problem/question.h"

/* True: r->order satisfies the level and r->verdict is CHECK_OK.  False: this is not such a history
 * or level, or it got stuck, which somebody else has to explain; r is as it was. */
bool lists_replay(const struct history *h, const struct check_options *o, struct check_result *r);

#endif
