/* Eight SmallBank transactions on two customers; no money appears.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define CUSTOMERS 2
#define CHECKS 4
#define DEPOSITED 400

DATABASE struct { int balance; } savings[CUSTOMERS], checking[CUSTOMERS];
DATABASE struct { int amount; } cashed[CHECKS];

TRANSACTION void write_check(int check, int c, int amount)
{
    assume(check >= 0 && check < CHECKS);
    assume(c >= 0 && c < CUSTOMERS);
    assume(amount > 0);
    if (savings[c].balance + checking[c].balance < amount)
        amount += 1;
    checking[c].balance -= amount;
    cashed[check].amount += amount;
}

TRANSACTION void amalgamate(int from, int to)
{
    assume(from >= 0 && from < CUSTOMERS);
    assume(to >= 0 && to < CUSTOMERS && to != from);
    int total = savings[from].balance + checking[from].balance;
    savings[from].balance = 0;
    checking[from].balance = 0;
    checking[to].balance += total;
}

TRANSACTION void send_payment(int from, int to, int amount)
{
    assume(from >= 0 && from < CUSTOMERS);
    assume(to >= 0 && to < CUSTOMERS && to != from);
    assume(amount > 0);
    if (checking[from].balance < amount)
        rollback();
    checking[from].balance -= amount;
    checking[to].balance += amount;
}

INITIAL void opening(void)
{
    for (int c = 0; c < CUSTOMERS; c++) {
        savings[c].balance = 100;
        checking[c].balance = 100;
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

SCENARIO void eight(void)
{
    write_check(0, 0, 80);
    write_check(1, 0, 150);
    write_check(2, 1, 90);
    write_check(3, 1, 60);
    amalgamate(0, 1);
    amalgamate(1, 0);
    send_payment(0, 1, 30);
    send_payment(1, 0, 40);
}
