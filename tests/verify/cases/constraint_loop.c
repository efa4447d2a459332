/* A loop of the constraint itself may go on after the bound.
 * expect: ser=unknown si=unknown psi=unknown pc=unknown cc=unknown ra=unknown rcs=unknown rc=unknown ec=unknown
 */
#include <visar.h>

DATABASE int n, x;

CONSTRAINT bool small(void)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += 2;
    return sum <= 100;
}

INITIAL void nothing(void) { n = 0; }

TRANSACTION void set(void) { n = 40; }

INVARIANT bool zero(void) { return n == 0; }
