/* A table of one row has no second row to look at, so nothing is ever written there; a static
 * argument from it would say nothing about tables of two.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=not psi=not pc=not cc=not ra=not rcs=not rc=not ec=not
 */
#include <visar.h>

DATABASE bool seen[ANY];

TRANSACTION void look(int i, int j)
{
    assume(i >= 0 && i < ANY && j >= 0 && j < ANY && i != j);
    seen[i] = !seen[j];
}

INVARIANT bool a_bool(int i)
{
    return seen[i] == true || seen[i] == false;
}
