/* An ATOMIC statement has one visible set: it sees both writes or neither, also where every read or statement has a
 * set of its own.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x, y, torn;

TRANSACTION void both(void)
{
    x = 1;
    y = 1;
}

TRANSACTION void look(void)
{
    ATOMIC {
        torn = x;
        torn = torn != y;
    }
}

INITIAL void nothing(void) { torn = 0; }

INVARIANT bool whole(void) { return !torn; }

SCENARIO void two(void)
{
    both();
    look();
}
