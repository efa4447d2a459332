/* A row that everybody locks and writes does protect, under the models that know write conflicts.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int gate, x, y;

TRANSACTION void take_x(void)
{
    for_update(gate);
    if (y == 0) {
        x = 1;
        gate = 1;
    }
}

TRANSACTION void take_y(void)
{
    for_update(gate);
    if (x == 0) {
        y = 1;
        gate = 1;
    }
}

INVARIANT bool one_at_most(void) { return x + y <= 1; }

SCENARIO void both(void)
{
    take_x();
    take_y();
}
