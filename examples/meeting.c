/* Meeting: whoever arrives notes whether the other one is there already.  Under snapshot isolation
 * both may arrive without noticing each other, which no serial execution gives: the second to come
 * would have met the first.  So the program is not robust.  It is correct all the same, under every
 * model: nobody ever claims to have met somebody who is not there.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=not psi=not pc=not cc=not ra=not rcs=not rc=not ec=not
 */
#include <visar.h>

DATABASE struct { bool present, met; } guest[2];

TRANSACTION void arrive(int me)
{
    assume(me >= 0 && me < 2);
    bool met = guest[1 - me].present;
    guest[me].present = true;
    guest[me].met = met;
}

INVARIANT bool met_who_is_there(void)
{
    return (!guest[0].met || guest[1].present) && (!guest[1].met || guest[0].present);
}
