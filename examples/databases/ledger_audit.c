/* An audit in two statements: each has a snapshot of its own at READ COMMITTED, and a transfer between
 * them is seen by half.  At REPEATABLE READ both come from one snapshot; one SELECT of both rows would
 * do, too.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int balance; } checking[ANY], saving[ANY];

TRANSACTION void save(int i, int amount)
{
    assume(i >= 0 && i < ANY);
    ATOMIC checking[i].balance -= amount;
    ATOMIC saving[i].balance += amount;
}

TRANSACTION void audit(int i)
{
    assume(i >= 0 && i < ANY);
    int c = checking[i].balance;
    int s = saving[i].balance;
    assert(c == -s);
}

INITIAL void empty(void) {}

INVARIANT bool balanced(int i)
{
    return checking[i].balance == -saving[i].balance;
}

SCENARIO void transfer_and_audit(void)
{
    save(0, 50);
    audit(0);
}
