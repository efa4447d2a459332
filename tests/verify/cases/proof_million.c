/* The bank with a constant number of rows: as if it were any number.
 * prove: ser=proved si=proved pc=not
 */
#include <visar.h>
DATABASE struct { int balance; } account[1000000];
INITIAL void open(void) { account[0].balance = 1000; }
TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < 1000000 && to >= 0 && to < 1000000);
    assume(amount > 0);
    if (account[from].balance < amount) rollback();
    account[from].balance -= amount;
    account[to].balance += amount;
}
INVARIANT bool nobody_owes(int i) { return account[i].balance >= 0; }
INVARIANT bool money_stays(void)
{
    long sum = 0;
    for (int i = 0; i < 1000000; i++) sum += account[i].balance;
    return sum == 1000;
}
