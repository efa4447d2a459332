/* What a violation rules out: the models that a cycle of dependencies is impossible under, read off
 * the kinds of its edges (ruled_out.c), and all levels that the whole argument rules out
 * (ruled_out_levels.c). */
#ifndef CERTIFY_RULED_OUT_H
#define CERTIFY_RULED_OUT_H

#include "certify/verdict.h"

/* Bit set of the models under which result.cycles[cycle] is impossible. */
uint32_t ruled_out_by_cycle(const struct history *h, const struct check_result *r, uint32_t cycle);
/* … under which each cycle is: what the whole argument rules out. */
uint32_t ruled_out_by_all(const struct history *h, const struct check_result *r);

/* Is every cycle of a violation impossible under the violation's own level?  certify_violation has
 * looked at the edges one by one; this looks at the whole, from the table of levels. */
bool ruled_out_own_level(const struct history *h, const struct check_result *r);
/* All that the violation rules out (models/lattice.h). */
struct ruled_out;
struct ruled_out ruled_out_by(const struct history *h, const struct check_result *r);

#endif
