/* Behind certified_search.h: the search for an answer, which is not certified yet. */
#ifndef CHECK_SEARCH_H
#define CHECK_SEARCH_H

#include "check/problem/question.h"

/* The history is in terms of items and has the time stamps that the level needs, and rereads_settle
 * has gone over it.  A violation is explained. */
void search_items(const struct history *h, const struct check_options *o, struct check_result *r);

#endif
