/* The scenario's own assumption binds its own assertions too, also those before it.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x;

TRANSACTION int look(void) { return x; }
TRANSACTION void set(void) { x = 1; }

SCENARIO void both(void)
{
    int seen = look();
    set();
    assert(seen == 0);
    assume(seen == 0);
}
