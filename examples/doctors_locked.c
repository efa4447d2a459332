/* Doctors on call, repaired: going off duty locks the row of the colleague (SELECT ... FOR UPDATE),
 * so two who go off at the same time conflict.  That is enough wherever write conflicts count;
 * models without them (pc and below) do not know of locks.  Compare doctors.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * robust: ser=proved si=proved psi=proved pc=not cc=not ra=not rcs=not rc=not ec=not */
#include <visar.h>

#define DOCTORS 2

DATABASE struct { bool on_call; } doctor[DOCTORS] = {{true}, {true}};

TRANSACTION void go_off(int me)
{
    assume(me >= 0 && me < DOCTORS);
    for_update(doctor[1 - me]);
    if (!doctor[1 - me].on_call)
        rollback();
    doctor[me].on_call = false;
}

INVARIANT bool somebody_on_call(void)
{
    return doctor[0].on_call || doctor[1].on_call;
}
