/* A run in which a check fails counts for that check only: the division by zero is violated …
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x;

TRANSACTION void divide(int by)
{
    assert(by != 0); /* … and this assertion is not */
    x = 8 / by;
}

FINAL bool set(void) { return x != 0; } /* nor is this */

SCENARIO void one(void)
{
    int by = nondet_int();
    assume(by >= -2 && by <= 2);
    divide(by);
}
