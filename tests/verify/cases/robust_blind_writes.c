/* Robust, though not in the order of versions that the execution has: t() may overwrite s() without
 * having seen it, having read from a().  With the versions in the order of ar that is a cycle, but
 * the order s, a, t gives the same reads and the same final state.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=robust psi=robust pc=robust cc=robust ra=robust rcs=robust rc=robust ec=robust
 */
#include <visar.h>

DATABASE int x;

TRANSACTION void a(void)
{
    x = 1;
}

TRANSACTION void s(void)
{
    x = 2;
}

TRANSACTION void t(void)
{
    if (x == 1)
        x = 3;
}

FINAL bool written(void)
{
    return x > 0;
}

SCENARIO void all_three(void)
{
    a();
    s();
    t();
}
