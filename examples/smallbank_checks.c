/* SmallBank (Alomari et al. 2008), safe pairs: two checks drawn on one customer, and a check beside
 * an amalgamation of the customer's accounts.  Both transactions of a pair write the customer's
 * checking account, so snapshot isolation orders them; weaker levels lose one of the withdrawals
 * and money appears from nowhere.  Any number of customers and checks.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define PENALTY 1
#define DEPOSITED 50 /* in each account of each customer */

DATABASE struct { int balance; } savings[ANY], checking[ANY];
DATABASE struct { int amount; } cashed[ANY]; /* what left the bank, penalty included */

/* Cash check number `check`; an overdraft costs a penalty. */
TRANSACTION void write_check(int check, int c, int amount)
{
    assume(check >= 0 && check < ANY);
    assume(c >= 0 && c < ANY);
    assume(amount > 0);
    int total = savings[c].balance + checking[c].balance;
    if (total < amount)
        amount += PENALTY;
    checking[c].balance -= amount;
    cashed[check].amount += amount;
}

/* Move all of one customer's money to another's checking account. */
TRANSACTION void amalgamate(int from, int to)
{
    assume(from >= 0 && from < ANY);
    assume(to >= 0 && to < ANY && to != from);
    int total = savings[from].balance + checking[from].balance;
    savings[from].balance = 0;
    checking[from].balance = 0;
    checking[to].balance += total;
}

INITIAL void opening(void)
{
    for (int c = 0; c < ANY; c++) {
        savings[c].balance = DEPOSITED;
        checking[c].balance = DEPOSITED;
    }
}

INVARIANT bool no_money_appears(void)
{
    long sum = 0;
    for (int c = 0; c < ANY; c++)
        sum += savings[c].balance + checking[c].balance;
    for (int i = 0; i < ANY; i++)
        sum += cashed[i].amount;
    return sum == 2L * DEPOSITED * ANY;
}

SCENARIO void two_checks(void)
{
    write_check(0, 0, 80);
    write_check(1, 0, 90);
}

SCENARIO void amalgamate_and_check(void)
{
    amalgamate(0, 1);
    write_check(0, 0, 80);
}
