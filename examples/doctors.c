/* Doctors on call (Cahill, Röhm, Fekete 2008): a doctor may leave if another is on call.  Two who
 * leave at once each see the other, write their own rows, and nobody is left: write skew.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define DOCTORS 2

DATABASE struct { bool on_call; } doctor[DOCTORS];

TRANSACTION void leave(int d)
{
    assume(d >= 0 && d < DOCTORS);
    int others = 0;
    for (int i = 0; i < DOCTORS; i++)
        if (i != d && doctor[i].on_call)
            others++;
    if (others >= 1)
        doctor[d].on_call = false;
}

TRANSACTION void come_back(int d)
{
    assume(d >= 0 && d < DOCTORS);
    doctor[d].on_call = true;
}

INITIAL void morning(void)
{
    for (int i = 0; i < DOCTORS; i++)
        doctor[i].on_call = true;
}

INVARIANT bool somebody_is_on_call(void)
{
    for (int i = 0; i < DOCTORS; i++)
        if (doctor[i].on_call)
            return true;
    return false;
}

SCENARIO void both_leave(void)
{
    leave(0);
    leave(1);
}
