/* A constraint that cannot be computed is not satisfied; its checks are no properties.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x = 1;

CONSTRAINT bool divides(void) { return 12 / x > 0; }

TRANSACTION void set(int v)
{
    assume(v >= -1 && v <= 2);
    x = v;
}

INVARIANT bool positive(void) { return x > 0; }
