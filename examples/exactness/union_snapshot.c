/* A snapshot that is the union of two transactions' effects and no transaction's output: the
 * checker sees two concurrent transactions (each missed the other) and not a third one that lies
 * before them in arbitration.  Causal consistency allows that; a prefix does not, and under PSI
 * the conflict on w makes the third one visible.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=violated ra=violated rcs=holds rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x, y, w, v, flag;

TRANSACTION void left(void)
{
    x = y == 0 ? 1 : 2;
}

TRANSACTION void early(void)
{
    w = 2;
    v = 1;
}

TRANSACTION void right(void)
{
    y = x == 0 ? 1 : 2;
    w = 3;
}

TRANSACTION void check(void)
{
    if (x == 1 && y == 1 && v == 0)
        flag = 1;
}

FINAL bool never_flagged_over_early(void)
{
    return !(flag == 1 && w == 3);
}

SCENARIO void four(void)
{
    left();
    early();
    right();
    check();
}
