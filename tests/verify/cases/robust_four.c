/* A cycle of four transactions, at least, under parallel snapshot isolation: a long fork.  No three
 * of them depend on each other in a circle, so an argument about cycles of two and three would find
 * the program robust.  (At rcs look() is one statement, which sees a prefix.)
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=proved psi=not pc=proved cc=not ra=not rcs=proved rc=not ec=not
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void set_x(void)
{
    x = 1;
}

TRANSACTION void set_y(void)
{
    y = 1;
}

TRANSACTION int look(void)
{
    return x + 2 * y;
}

INVARIANT bool set(void)
{
    return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}
