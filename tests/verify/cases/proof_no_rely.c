/* A flag that does not stay set.
 * prove: ser=proved si=not pc=not ra=not rcs=not rc=not ec=not
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

TRANSACTION void shut(int i)
{
    assume(i >= 0 && i < ANY);
    if (!card[i].used)
        account[i].open = false;
}

TRANSACTION void use(int i)
{
    assume(i >= 0 && i < ANY);
    if (account[i].open)
        card[i].used = true;
}

INVARIANT bool only_open(int i) { return !card[i].used || account[i].open; }
