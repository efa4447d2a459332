/* Only one of the two locks the row that the other writes: the lock conflicts with an earlier write, so it sees
 * it; but a write conflicts with no earlier lock, and the writer may miss the one who locked.
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void locks_y(void)
{
    for_update(y);
    if (y == 0)
        x = 1;
}

TRANSACTION void writes_y(void)
{
    if (x == 0)
        y = 1;
}

INVARIANT bool one_at_most(void) { return x + y <= 1; }

SCENARIO void both(void)
{
    locks_y();
    writes_y();
}
