/* Without INITIAL the program starts in any state that satisfies the invariants and the
 * constraints.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x, y;

CONSTRAINT bool enough(void) { return x > 0; }

TRANSACTION void copy(void)
{
    int seen = x;
    assert(seen > 0);
    y = seen;
}
