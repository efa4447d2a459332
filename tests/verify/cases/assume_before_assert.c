/* After a failed assumption there is nothing to assert.
 * expect: ser=vacuous si=vacuous psi=vacuous pc=vacuous cc=vacuous ra=vacuous rcs=vacuous rc=vacuous ec=vacuous
 */
#include <visar.h>

DATABASE int x;

TRANSACTION void look(void)
{
    assume(x > 0 && x < 0);
    assert(x != 0);
}

SCENARIO void one(void) { look(); }
