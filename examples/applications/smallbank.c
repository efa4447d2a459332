/* SmallBank (Alomari et al. 2008): all five transactions on any number of customers, each with a
 * savings and a checking account.  Checks are paid as long as both accounts together cover them, so
 * a check reads the savings account without writing it.  Beside a withdrawal from savings that is a
 * write skew: the customer is overdrawn under snapshot isolation.  Serializability is needed, or a
 * check that writes the savings account, too.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int balance; } savings[ANY], checking[ANY];

TRANSACTION int balance(int c)
{
    assume(c >= 0 && c < ANY);
    return savings[c].balance + checking[c].balance;
}

TRANSACTION void deposit_checking(int c, int amount)
{
    assume(c >= 0 && c < ANY);
    if (amount < 0)
        rollback();
    checking[c].balance += amount;
}

/* A deposit into savings, or a withdrawal if the amount is negative. */
TRANSACTION void transact_savings(int c, int amount)
{
    assume(c >= 0 && c < ANY);
    if (savings[c].balance + amount < 0 ||
        savings[c].balance + checking[c].balance + amount < 0)
        rollback();
    savings[c].balance += amount;
}

/* All of one customer's money moves to another's checking account. */
TRANSACTION void amalgamate(int from, int to)
{
    assume(from >= 0 && from < ANY);
    assume(to >= 0 && to < ANY);
    if (from == to)
        rollback();
    int total = savings[from].balance + checking[from].balance;
    savings[from].balance = 0;
    checking[from].balance = 0;
    checking[to].balance += total;
}

TRANSACTION void write_check(int c, int amount)
{
    assume(c >= 0 && c < ANY);
    if (amount < 0 || savings[c].balance + checking[c].balance < amount)
        rollback();
    checking[c].balance -= amount;
}

INITIAL void opening(void)
{
    for (int c = 0; c < ANY; c++) {
        savings[c].balance = 100;
        checking[c].balance = 100;
    }
}

INVARIANT bool nobody_is_overdrawn(int c)
{
    return savings[c].balance + checking[c].balance >= 0;
}

SCENARIO void check_and_withdrawal(void)
{
    write_check(0, 150);
    transact_savings(0, -100);
    balance(0);
}

SCENARIO void all_at_once(void)
{
    deposit_checking(0, 10);
    amalgamate(0, 1);
    write_check(1, 50);
}
