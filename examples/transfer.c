/* Transfers between any number of accounts.  A transfer reads and writes the same two rows, so
 * wherever of two concurrent writers of a row one fails (psi and above), nobody is overdrawn and no
 * money appears or gets lost; below, updates are lost.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define OPENING 100

DATABASE struct { int balance; } account[ANY];

TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < ANY);
    assume(to >= 0 && to < ANY);
    if (from == to || amount <= 0 || account[from].balance < amount)
        rollback();
    account[from].balance -= amount;
    account[to].balance += amount;
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

SCENARIO void one_account_pays_twice(void)
{
    transfer(0, 1, 80);
    transfer(0, 2, 70);
}
