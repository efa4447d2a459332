/* Eight transfers between accounts that the solver chooses; the sum of all balances stays.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define ACCOUNTS 4

DATABASE struct { int balance; } account[ACCOUNTS];

TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < ACCOUNTS);
    assume(to >= 0 && to < ACCOUNTS && to != from);
    assume(amount > 0);
    if (account[from].balance >= amount) {
        account[from].balance -= amount;
        account[to].balance += amount;
    }
}

INITIAL void opening(void)
{
    for (int i = 0; i < ACCOUNTS; i++)
        account[i].balance = 100;
}

INVARIANT bool nothing_is_lost(void)
{
    int sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        sum += account[i].balance;
    return sum == 100 * ACCOUNTS;
}

SCENARIO void eight(void)
{
    for (int i = 0; i < 8; i++)
        transfer(nondet_int(), nondet_int(), nondet_int());
}
