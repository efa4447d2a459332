/* Counter: two increments.  Where two transactions may write one row without seeing each other,
 * one of the increments is lost.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * robust: ser=proved si=robust psi=robust pc=not cc=not ra=not rcs=not rc=not ec=not */
#include <visar.h>

DATABASE int x;

TRANSACTION void increment(void)
{
    x++;
}

FINAL bool both_counted(void)
{
    return x == 2;
}

SCENARIO void two_increments(void)
{
    increment();
    increment();
}
