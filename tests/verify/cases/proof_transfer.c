/* Transfers between accounts of any number: nobody owes anything, and the sum stays.
 * prove: ser=proved si=proved psi=proved pc=not cc=not ra=not rcs=not rc=not ec=not
 */
#include <visar.h>
DATABASE struct { int balance; } account[ANY];
INITIAL void open(void) { account[0].balance = 1000; }
TRANSACTION void transfer(int from, int to, int amount)
{
    assume(from >= 0 && from < ANY && to >= 0 && to < ANY);
    assume(amount > 0);
    if (account[from].balance < amount) rollback();
    account[from].balance -= amount;
    account[to].balance += amount;
}
INVARIANT bool nobody_owes(int i) { return account[i].balance >= 0; }
INVARIANT bool money_stays(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++) sum += account[i].balance;
    return sum == 1000;
}
