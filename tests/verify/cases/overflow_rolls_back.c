/* A signed overflow rolls the whole transaction back.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void step(int by)
{
    assume(by > 0);
    y = 1;
    x += by;
}

INITIAL void full(void) { x = 2147483647; }

INVARIANT bool untouched(void) { return x == 2147483647 && y == 0; }

SCENARIO void two(void)
{
    step(1);
    step(nondet_int());
}
