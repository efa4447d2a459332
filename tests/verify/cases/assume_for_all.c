/* The assumption holds in every execution that exists, whatever property is asked: so y is set in the end, and the
 * assertion never fails.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=violated
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void set(void)
{
    assert(x == 0); /* rc, rcs: what is visible only grows, so it sees no more than the assumption */
    assume(x == 0);
    y = 1;
}

TRANSACTION void disturb(void) { x = 1; }

FINAL bool done(void) { return y == 1; }

SCENARIO void both(void)
{
    set();
    disturb();
}
