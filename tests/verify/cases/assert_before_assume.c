/* An assertion counts although the transaction's assumption fails later.
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated
 */
#include <visar.h>

DATABASE int x;

TRANSACTION void look(void)
{
    assert(x != 0);
    assume(x == 1);
}

SCENARIO void one(void) { look(); }
