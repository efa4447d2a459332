/* for_share is a lock, too: locking the row that the other writes turns write skew into a conflict.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE bool on_call[2];

TRANSACTION void leave(int d)
{
    assume(d == 0 || d == 1);
    for_share(on_call[1 - d]);
    if (on_call[1 - d])
        on_call[d] = false;
}

INITIAL void morning(void) { on_call[0] = on_call[1] = true; }

INVARIANT bool somebody(void) { return on_call[0] || on_call[1]; }

SCENARIO void both(void)
{
    leave(0);
    leave(1);
}
