/* An execution in which an assumption fails does not exist, also if an assertion failed before it: x is 0, so
 * there is none at all.
 * expect: ser=vacuous si=vacuous psi=vacuous pc=vacuous cc=vacuous ra=vacuous rcs=vacuous rc=vacuous ec=vacuous
 */
#include <visar.h>

DATABASE int x;

TRANSACTION void look(void)
{
    assert(x == 5);
    assume(x == 1);
}

SCENARIO void one(void) { look(); }
