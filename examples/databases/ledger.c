/* A ledger: a transfer takes from one account, if there is enough, and gives to another; two UPDATE
 * statements, each on the newest row.  Enough at every level.  (One UPDATE of both rows would not be: it
 * reads the balance of the one, when it changes the other, in its snapshot, and two such transfers
 * both find enough.)
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define OPENING 100

DATABASE struct { int balance; } account[ANY];

TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < ANY && to >= 0 && to < ANY);
    if (amount <= 0)
        rollback();
    bool taken = false;
    ATOMIC if (account[from].balance >= amount) {
        account[from].balance -= amount;
        taken = true;
    }
    if (!taken)
        rollback();
    ATOMIC account[to].balance += amount;
}

INITIAL void opening(void)
{
    for (int i = 0; i < ANY; i++)
        account[i].balance = OPENING;
}

INVARIANT bool nobody_owes(int i)
{
    return account[i].balance >= 0;
}

INVARIANT bool money_stays(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        sum += account[i].balance;
    return sum == (long)OPENING * ANY;
}

SCENARIO void two_transfers(void)
{
    transfer(0, 1, 80);
    transfer(0, 2, 80);
}
