/* SimpleBank: two tellers withdraw from two accounts of one customer.  A withdrawal looks at both
 * balances and takes from one, so two of them write different rows: snapshot isolation sees no
 * conflict and the sum falls below zero.  The textbook write skew.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * robust: ser=proved si=not psi=not pc=not cc=not ra=not rcs=not rc=not ec=not */
#include <visar.h>

DATABASE struct { int balance; } account[2];          /* rows account[0], account[1] */

TRANSACTION void withdraw(int who, int amount)
{
    assume(who == 0 || who == 1);
    if (account[0].balance + account[1].balance >= amount)
        account[who].balance -= amount;
}

INITIAL void opening(void) { account[0].balance = 60; account[1].balance = 60; }

INVARIANT bool solvent(void) { return account[0].balance + account[1].balance >= 0; }

SCENARIO void two_tellers(void) { withdraw(0, 100); withdraw(1, 100); }
