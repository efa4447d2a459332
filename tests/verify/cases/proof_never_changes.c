/* What no transaction changes is the same in all states, even if every read sees others.
 * prove: ser=proved si=proved psi=proved pc=proved cc=proved ra=proved rcs=proved rc=proved ec=proved
 */
#include <visar.h>

DATABASE struct { int limit; } account[ANY];
DATABASE struct { int spent; } card[ANY];

INITIAL void limits(void)
{
    for (int i = 0; i < ANY; i++)
        account[i].limit = 100;
}

TRANSACTION void spend(int i, int amount)
{
    assume(i >= 0 && i < ANY && amount >= 0);
    if (amount <= account[i].limit)
        card[i].spent = amount;
}

TRANSACTION void save(int i)
{
    assume(i >= 0 && i < ANY);
    account[i].limit = account[i].limit; /* a write that changes nothing */
}

INVARIANT bool limited(int i) { return card[i].spent <= account[i].limit; }
