/* Doctors on call (Cahill, Röhm, Fekete 2008): a doctor may leave if another is on call.  Two who
 * leave at once each see the other, write their own rows, and nobody is left: write skew.
 * Any number of doctors.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool on_call; } doctor[ANY];

TRANSACTION void leave(int d)
{
    assume(d >= 0 && d < ANY);
    bool another = false;
    for (int i = 0; i < ANY; i++)
        if (i != d && doctor[i].on_call)
            another = true;
    if (another)
        doctor[d].on_call = false;
}

TRANSACTION void come_back(int d)
{
    assume(d >= 0 && d < ANY);
    doctor[d].on_call = true;
}

INITIAL void morning(void)
{
    for (int i = 0; i < ANY; i++)
        doctor[i].on_call = true;
}

INVARIANT bool somebody_is_on_call(void)
{
    for (int i = 0; i < ANY; i++)
        if (doctor[i].on_call)
            return true;
    return false;
}

SCENARIO void both_leave(void)
{
    leave(0);
    leave(1);
}
