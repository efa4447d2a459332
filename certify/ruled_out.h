/* Which models a cycle of dependencies is impossible under, read off the kinds of its edges. */
#ifndef CERTIFY_RULED_OUT_H
#define CERTIFY_RULED_OUT_H

#include "certify/verdict.h"

/* Bit set of the models under which result.cycles[cycle] is impossible. */
uint32_t ruled_out_by_cycle(const struct history *h, const struct check_result *r, uint32_t cycle);
/* … under which each cycle is: what the whole argument rules out. */
uint32_t ruled_out_by_all(const struct history *h, const struct check_result *r);

#endif
