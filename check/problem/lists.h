/* Histories of lists, decided by running the transactions: no matching of reads, no graph.
 *
 * If all lists read from a key are prefixes of one list, that list is the order of the key's
 * versions.  A transaction can then run as soon as each list that it read is as long as it saw it,
 * and its own elements are next in each list that it appends to. */
#ifndef CHECK_PROBLEM_LISTS_H
#define CHECK_PROBLEM_LISTS_H

#include "check/problem/question.h"

/* True: r->order satisfies the level and r->verdict is CHECK_OK.  False: the history or the level
 * is not of this kind, or the run got stuck, which is no proof of a violation; r is unchanged. */
bool lists_replay(const struct history *h, const struct check_options *o, struct check_result *r);

#endif
