/* A session sees its own writes, except under read committed by single reads.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x;
DATABASE bool missed;

TRANSACTION void put(void) { x = 1; }

TRANSACTION void get(void)
{
    if (x == 0)
        missed = true;
}

INVARIANT bool seen(void) { return !missed; }

SCENARIO void one_client(void)
{
    SESSION {
        put();
        get();
    }
}
