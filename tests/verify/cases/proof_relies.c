/* A flag that stays set: known of what a transaction joins if that contains what it saw, which read
 * atomic does not promise.
 * prove: ser=proved si=proved psi=proved pc=proved cc=proved ra=not rcs=proved rc=not ec=not
 */
#include <visar.h>

DATABASE struct { bool open; } account[ANY];
DATABASE struct { bool used; } card[ANY];

INITIAL void nothing(void) { }

TRANSACTION void open(int i)
{
    assume(i >= 0 && i < ANY);
    account[i].open = true;
}

TRANSACTION void use(int i)
{
    assume(i >= 0 && i < ANY);
    if (account[i].open)
        card[i].used = true;
}

INVARIANT bool only_open(int i) { return !card[i].used || account[i].open; }
