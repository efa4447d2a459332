/* A guard row that is written: whoever goes off call counts a change of the ward first.  Now the
 * second of two waits and sees the first (READ COMMITTED), or is refused (REPEATABLE READ of
 * PostgreSQL).  Enough at every level.  Compare guard_locked.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int changes; } ward[ANY];
DATABASE struct { bool off; } doctor[ANY][2]; /* two in each ward */

TRANSACTION void go_off(int w, int me)
{
    assume(w >= 0 && w < ANY);
    assume(me == 0 || me == 1);
    ATOMIC ward[w].changes += 1;
    if (doctor[w][1 - me].off)
        rollback();
    doctor[w][me].off = true;
}

TRANSACTION void come_back(int w, int me)
{
    assume(w >= 0 && w < ANY);
    assume(me == 0 || me == 1);
    doctor[w][me].off = false;
}

INITIAL void all_on_call(void) {}

INVARIANT bool somebody_on_call(int w)
{
    return !doctor[w][0].off || !doctor[w][1].off;
}
