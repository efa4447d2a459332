/* Assumptions of other transactions must hold as well.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void set_x(int v)
{
    assume(v > 0);
    x = v;
}

TRANSACTION void set_y(int v)
{
    assume(v < 3);
    y = v;
}

FINAL bool different(void) { return x > 0 && y < 3; }

SCENARIO void shared(void)
{
    int v = nondet_int();
    set_x(v);
    set_y(v);
}
