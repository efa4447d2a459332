/* What a transaction wrote before a check failed never appears; the check itself is violated.
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void divide(int by)
{
    x = 1;
    y = 8 / by;
}

INVARIANT bool together(void) { return x == 0 || y == 8; }

SCENARIO void two(void)
{
    divide(0);
    divide(1);
}
