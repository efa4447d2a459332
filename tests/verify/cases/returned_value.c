/* A call that uses another's result comes after it.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION int take(void)
{
    int old = x;
    x = old + 1;
    return old;
}

TRANSACTION void put(int v) { y = v + 1; }

FINAL bool one_more(void) { return y == 1; }

SCENARIO void chain(void)
{
    int v = take();
    put(v);
}
