/* As robust_blind_writes.c, but s() may write y after a() did.  Then the order s, a, t explains every
 * read still, and not the final state: an order that was refuted for one execution must be judged by
 * both in the next.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=robust psi=robust pc=not cc=not ra=not rcs=not rc=not ec=not
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void a(void)
{
    x = 1;
    y = 1;
}

TRANSACTION void s(bool twice)
{
    x = 2;
    if (twice)
        y = 2;
}

TRANSACTION void t(void)
{
    if (x == 1)
        x = 3;
}

FINAL bool written(void)
{
    return x > 0 && y > 0;
}

SCENARIO void all_three(void)
{
    a();
    s(nondet_bool());
    t();
}
