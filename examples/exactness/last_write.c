/* Two blind writes of one row, one of them of the initial value: either may come last.  An encoding
 * that compares snapshots by value takes `x = 0` for a transaction that changed nothing.
 *
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x;

TRANSACTION void write(int value)
{
    x = value;
}

FINAL bool zero_won(void)
{
    return x == 0;
}

SCENARIO void two_writes(void)
{
    write(0);
    write(1);
}
