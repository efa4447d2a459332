/* Withdrawing against all of an owner's accounts: bank.c with any number of accounts and owners.  A
 * withdrawal adds up the accounts of the same owner and takes from one of them; two withdrawals
 * from different accounts do not conflict, so the owner's total falls below zero (write skew).
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define OPENING 60

DATABASE struct { int owner, balance; } account[ANY];

TRANSACTION void withdraw(int a, int amount)
{
    assume(a >= 0 && a < ANY);
    assume(amount > 0);
    int owner = account[a].owner;
    long total = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].owner == owner)
            total += account[i].balance;
    if (total < amount)
        rollback();
    account[a].balance -= amount;
}

INITIAL void two_accounts_each(void)
{
    for (int i = 0; i < ANY; i++) {
        account[i].owner = i / 2;
        account[i].balance = OPENING;
    }
}

INVARIANT bool solvent(int owner)
{
    long total = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].owner == owner)
            total += account[i].balance;
    return total >= 0;
}
