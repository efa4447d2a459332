/* A rollback takes back what was written before it.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void attempt(void)
{
    x = 1;
    if (y == 0)
        rollback();
}

INVARIANT bool untouched(void) { return x == 0 && y == 0; }

SCENARIO void two(void)
{
    attempt();
    attempt();
}
