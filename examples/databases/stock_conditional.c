/* Stock with a conditional update: UPDATE item SET stock = stock - q WHERE id = i AND stock >= q; the
 * number of changed rows says whether it was sold.  The condition is decided on the row that is
 * changed: enough at every level.  Compare stock_checked.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int stock; } item[ANY];

TRANSACTION bool sell(int i, int q)
{
    assume(i >= 0 && i < ANY && q > 0);
    bool sold = false;
    ATOMIC if (item[i].stock >= q) {
        item[i].stock -= q;
        sold = true;
    }
    return sold;
}

INITIAL void one_of_each(void)
{
    for (int i = 0; i < ANY; i++)
        item[i].stock = 1;
}

INVARIANT bool never_below_zero(int i)
{
    return item[i].stock >= 0;
}

SCENARIO void the_last_one(void)
{
    bool a = sell(0, 1), b = sell(0, 1);
    assert(!(a && b));
}
