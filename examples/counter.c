/* Counter: two increments.  Where two transactions may write one row without seeing each other,
 * one of the increments is lost.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
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
