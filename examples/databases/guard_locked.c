/* A guard row that is only locked.  Whoever goes off call locks the row of the ward first, so two of
 * one ward go one after the other.  At READ COMMITTED the second, when it has the lock, sees what the
 * first did.  At REPEATABLE READ of PostgreSQL it waits just as well and then goes on with its old
 * snapshot, since nobody *wrote* the row: the ward is left alone.  Compare guard_written.c.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int changes; } ward[ANY];
DATABASE struct { bool off; } doctor[ANY][2]; /* two in each ward */

TRANSACTION void go_off(int w, int me)
{
    assume(w >= 0 && w < ANY);
    assume(me == 0 || me == 1);
    for_update(ward[w]);
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
