/* Bulk writes: INITIAL's give a sum of ten times the number of rows, the transaction's add a count.
 * prove: ser=proved si=proved pc=not
 */
#include <visar.h>
DATABASE struct { int balance; } account[ANY];
INITIAL void open(void) { for (int i = 0; i < ANY; i++) account[i].balance = 10; }
TRANSACTION void interest(void) { for (int i = 0; i < ANY; i++) if (account[i].balance < 100) account[i].balance += 1; }
INVARIANT bool nobody_owes(int i) { return account[i].balance >= 0; }
INVARIANT bool rich(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++) sum += account[i].balance;
    return sum >= 10L * ANY;
}
