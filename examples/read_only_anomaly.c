/* The read-only anomaly (Fekete, O'Neil, O'Neil, SIGMOD Record 2004): a deposit into savings, a
 * withdrawal from checking with a penalty for overdrafts, and a report that only reads.  Without
 * the report every snapshot-isolated run is serializable.  With it, the report shows the deposit
 * and not the withdrawal, although the penalty says that the withdrawal came before the deposit.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * robust: ser=proved si=not psi=not pc=not cc=not ra=not rcs=not rc=not ec=not */
#include <visar.h>

#define DEPOSIT 20
#define WITHDRAWAL 10
#define PENALTY 1

DATABASE struct { int balance; } savings, checking;
DATABASE struct { bool printed; int savings, checking; } statement; /* the report's paper copy */

TRANSACTION void deposit(void)
{
    savings.balance += DEPOSIT;
}

TRANSACTION void withdraw(void)
{
    if (savings.balance + checking.balance < WITHDRAWAL)
        checking.balance -= WITHDRAWAL + PENALTY;
    else
        checking.balance -= WITHDRAWAL;
}

TRANSACTION void report(void)
{
    statement.savings = savings.balance;
    statement.checking = checking.balance;
    statement.printed = true;
}

FINAL bool no_penalty_after_the_printed_deposit(void)
{
    bool shows_deposit_only =
        statement.printed && statement.savings == DEPOSIT && statement.checking == 0;
    return !(shows_deposit_only && checking.balance == -(WITHDRAWAL + PENALTY));
}

SCENARIO void month_end(void)
{
    deposit();
    withdraw();
    report();
}
