/* The static argument: take() and free_it() write the row that they read, so two of them that meet
 * conflict; look() reads a single row, and so sees no two writes of different transactions in part.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=proved psi=proved pc=not cc=not ra=not rcs=not rc=not ec=not
 */
#include <visar.h>

DATABASE bool taken[2];

TRANSACTION void take(int i)
{
    assume(i == 0 || i == 1);
    taken[i] = !taken[i] || taken[i];
}

TRANSACTION void free_it(int i)
{
    assume(i == 0 || i == 1);
    if (taken[i])
        taken[i] = false;
}

TRANSACTION bool look(int i)
{
    assume(i == 0 || i == 1);
    return taken[i];
}

INVARIANT bool a_bool(void)
{
    return taken[0] == true || taken[0] == false;
}
