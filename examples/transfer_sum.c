/* Transfer and audit, with one statement: the auditor of transfer_audit.c who asks for the sum of
 * all balances at once.  A statement sees a transfer as a whole or not at all, at every level, so
 * snapshots per statement and even per read are enough for one transfer and any number of accounts.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

#define OPENING 100

DATABASE struct { int balance; } account[ANY];

TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < ANY);
    assume(to >= 0 && to < ANY && to != from);
    assume(amount > 0);
    if (account[from].balance < amount)
        rollback();
    account[from].balance -= amount;
    account[to].balance += amount;
}

static bool all_there(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        sum += account[i].balance;
    return sum == (long)OPENING * ANY;
}

TRANSACTION void audit(void)
{
    assert(all_there());
}

INITIAL void opening(void)
{
    for (int i = 0; i < ANY; i++)
        account[i].balance = OPENING;
}

INVARIANT bool money_stays(void)
{
    return all_there();
}

SCENARIO void audit_day(void)
{
    transfer(0, 1, nondet_int());
    audit();
}
