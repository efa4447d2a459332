/* As proof_owner.c, but a withdrawal locks the owner's accounts.  Then no other one has changed
 * them, owners never change, and so the sum that it sees is that of the state that it changes.
 * prove: ser=proved si=proved psi=proved pc=not
 */
#include <visar.h>
DATABASE struct { int owner; int balance; } account[ANY];
INITIAL void open(void) { }
TRANSACTION void deposit(int a, int amount)
{
    assume(a >= 0 && a < ANY && amount > 0);
    account[a].balance += amount;
}
TRANSACTION void withdraw(int a, int amount)
{
    assume(a >= 0 && a < ANY && amount > 0);
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].owner == account[a].owner) {
            for_update(account[i]);
            sum += account[i].balance;
        }
    if (sum < amount) rollback();
    account[a].balance -= amount;
}
INVARIANT bool solvent(int owner)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        if (account[i].owner == owner) sum += account[i].balance;
    return sum >= 0;
}
