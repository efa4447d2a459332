/* FusionTicket, venues: two organisers add an event at the same venue.  Booking writes the venue's
 * row, so snapshot isolation makes the second organiser fail; weaker levels let both events point
 * at the venue.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define VENUES 2
#define EVENTS 3

DATABASE struct { bool taken; int event; } venue[VENUES];
DATABASE struct { bool exists; int venue; } event[EVENTS];

TRANSACTION void add_event(int e, int v)
{
    assume(e >= 0 && e < EVENTS);
    assume(v >= 0 && v < VENUES);
    if (venue[v].taken || event[e].exists)
        rollback();
    venue[v].taken = true;
    venue[v].event = e;
    event[e].exists = true;
    event[e].venue = v;
}

INVARIANT bool one_event_per_venue(void)
{
    for (int i = 0; i < EVENTS; i++)
        for (int j = i + 1; j < EVENTS; j++)
            if (event[i].exists && event[j].exists && event[i].venue == event[j].venue)
                return false;
    return true;
}

/* The lemma: a booked venue knows it. */
INVARIANT bool booked_venues_are_taken(void)
{
    for (int e = 0; e < EVENTS; e++)
        for (int v = 0; v < VENUES; v++)
            if (event[e].exists && event[e].venue == v && !venue[v].taken)
                return false;
    return true;
}

SCENARIO void two_organisers(void)
{
    add_event(0, 1);
    add_event(1, 1);
}
