/* Which models a cycle of dependencies is impossible under, read off the kinds of its edges. */
#ifndef HISTORY_EXPLAIN_LEVELS_H
#define HISTORY_EXPLAIN_LEVELS_H

#include "history/check.h"

/* The model and all that are stronger, as a bit set. */
uint32_t explain_and_above(enum model_id model);
/* Bit set of the models under which result.cycles[cycle] is impossible. */
uint32_t explain_ruled_out(const struct history *h, const struct check_result *r, uint32_t cycle);
/* … under which each cycle is: what the whole argument rules out. */
uint32_t explain_all_ruled_out(const struct history *h, const struct check_result *r);

#endif
