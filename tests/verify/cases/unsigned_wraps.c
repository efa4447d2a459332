/* Unsigned arithmetic wraps.
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE unsigned x;

TRANSACTION void step(unsigned by) { x += by; }

INITIAL void full(void) { x = 4294967295u; }

INVARIANT bool stays_large(void) { return x >= 5; }

SCENARIO void one(void) { step(nondet_uint()); }
