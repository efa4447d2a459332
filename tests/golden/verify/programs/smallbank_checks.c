/* SmallBank (Alomari et al. 2008), safe pairs: two checks drawn on one customer, and a check beside
 * an amalgamation of the customer's accounts.  Both transactions of a pair write the customer's
 * checking account, so snapshot isolation orders them; weaker levels lose one of the withdrawals
 * and money appears from nowhere.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define CUSTOMERS 2
#define CHECKS 2
#define PENALTY 1
#define DEPOSITED 200

DATABASE struct { int balance; } savings[CUSTOMERS], checking[CUSTOMERS];
DATABASE struct { int amount; } cashed[CHECKS]; /* what left the bank, penalty included */

/* Cash check number `check`; an overdraft costs a penalty. */
TRANSACTION void write_check(int check, int c, int amount)
{
    assume(check >= 0 && check < CHECKS);
    assume(c >= 0 && c < CUSTOMERS);
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
    assume(from >= 0 && from < CUSTOMERS);
    assume(to >= 0 && to < CUSTOMERS && to != from);
    int total = savings[from].balance + checking[from].balance;
    savings[from].balance = 0;
    checking[from].balance = 0;
    checking[to].balance += total;
}

INITIAL void opening(void)
{
    for (int c = 0; c < CUSTOMERS; c++) {
        savings[c].balance = DEPOSITED / CUSTOMERS / 2;
        checking[c].balance = DEPOSITED / CUSTOMERS / 2;
    }
}

INVARIANT bool no_money_appears(void)
{
    int sum = 0;
    for (int c = 0; c < CUSTOMERS; c++)
        sum += savings[c].balance + checking[c].balance;
    for (int i = 0; i < CHECKS; i++)
        sum += cashed[i].amount;
    return sum == DEPOSITED;
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
