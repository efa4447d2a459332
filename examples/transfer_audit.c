/* Transfer and audit: money moves between two accounts while an auditor adds them up, account by
 * account.  With one snapshot per transaction the sum is constant; with a snapshot per statement
 * or per read the auditor can meet the money twice, or not at all (read skew).  An auditor who
 * asks for the sum in one statement is safe: transfer_sum.c.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=violated rc=violated ec=violated
 * robust: ser=proved si=robust psi=robust pc=robust cc=robust ra=robust rcs=not rc=not ec=not */
#include <visar.h>

#define ACCOUNTS 2
#define TOTAL 200

DATABASE struct { int balance; } account[ACCOUNTS];

TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < ACCOUNTS);
    assume(to >= 0 && to < ACCOUNTS && to != from);
    assume(amount > 0);
    if (account[from].balance < amount)
        rollback();
    account[from].balance -= amount;
    account[to].balance += amount;
}

TRANSACTION void audit(void)
{
    int sum = account[0].balance;
    sum += account[1].balance;
    assert(sum == TOTAL);
}

INITIAL void opening(void)
{
    account[0].balance = TOTAL / 2;
    account[1].balance = TOTAL / 2;
}

SCENARIO void audit_day(void)
{
    transfer(0, 1, nondet_int());
    audit();
}
