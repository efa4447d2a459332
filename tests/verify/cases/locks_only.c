/* A row that everybody only locks protects nothing: two who lock it do not conflict, and the second goes on with
 * the snapshot that it has.  (PostgreSQL at REPEATABLE READ does so.)
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int gate, x, y;

TRANSACTION void take_x(void)
{
    for_update(gate);
    if (y == 0)
        x = 1;
}

TRANSACTION void take_y(void)
{
    for_update(gate);
    if (x == 0)
        y = 1;
}

INVARIANT bool one_at_most(void) { return x + y <= 1; }

SCENARIO void both(void)
{
    take_x();
    take_y();
}
