/* FusionTicket, venues: two organisers add an event at the same venue.  Booking writes the venue's
 * row, so snapshot isolation makes the second organiser fail; weaker levels let both events point
 * at the venue.  Any number of venues and events.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool taken; int event; } venue[ANY];
DATABASE struct { bool exists; int venue; } event[ANY];

TRANSACTION void add_event(int e, int v)
{
    assume(e >= 0 && e < ANY);
    assume(v >= 0 && v < ANY);
    if (venue[v].taken || event[e].exists)
        rollback();
    venue[v].taken = true;
    venue[v].event = e;
    event[e].exists = true;
    event[e].venue = v;
}

INVARIANT bool one_event_per_venue(int i, int j)
{
    return i == j || !event[i].exists || !event[j].exists || event[i].venue != event[j].venue;
}

/* The lemma: a booked venue knows it. */
INVARIANT bool booked_venues_are_taken(int e, int v)
{
    return !event[e].exists || event[e].venue != v || venue[v].taken;
}

SCENARIO void two_organisers(void)
{
    add_event(0, 1);
    add_event(1, 1);
}
