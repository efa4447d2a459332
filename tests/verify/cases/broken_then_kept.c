/* One transaction breaks the invariant, another keeps it: an execution in which the one that keeps it
 * comes last violates it all the same.
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int value; bool closed; } account;

TRANSACTION void overdraw(void)
{
    if (!account.closed)
        account.value = -5;
}

TRANSACTION void close(void)
{
    account.value += 1;
    account.closed = true;
}

INVARIANT bool never_negative(void) { return account.value >= 0; }

SCENARIO void both(void)
{
    overdraw();
    close();
}
