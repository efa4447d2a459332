/* Stock, checked first: SELECT whether there is enough, then UPDATE item SET stock = stock - q.  The
 * subtraction is safe and the check is not: another sale may come between them.  Compare
 * stock_conditional.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int stock; } item[ANY];

TRANSACTION bool sell(int i, int q)
{
    assume(i >= 0 && i < ANY && q > 0);
    if (item[i].stock < q)
        return false;
    ATOMIC item[i].stock -= q;
    return true;
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
