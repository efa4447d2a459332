/* A calendar of rooms without overlaps: booking looks through all bookings of the room and inserts a
 * new one if the time is free; a booking can be moved and cancelled.  Two bookings that overlap are
 * two different rows, so nothing conflicts below serializability (or an EXCLUDE constraint in the
 * database).  Times are numbers, say minutes, and parameters.  Any number of rooms and bookings.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool present; int room, from, to; } booking[ANY];

TRANSACTION void book(int room, int from, int to)
{
    if (from >= to)
        rollback();
    for (int i = 0; i < ANY; i++)
        if (booking[i].present && booking[i].room == room && booking[i].from < to &&
            from < booking[i].to)
            rollback();
    int b = fresh(booking);
    booking[b].present = true;
    booking[b].room = room;
    booking[b].from = from;
    booking[b].to = to;
}

TRANSACTION void move(int b, int from, int to)
{
    assume(b >= 0 && b < ANY);
    if (!booking[b].present || from >= to)
        rollback();
    int room = booking[b].room;
    for (int i = 0; i < ANY; i++)
        if (i != b && booking[i].present && booking[i].room == room && booking[i].from < to &&
            from < booking[i].to)
            rollback();
    booking[b].from = from;
    booking[b].to = to;
}

TRANSACTION void cancel(int b)
{
    assume(b >= 0 && b < ANY);
    booking[b].present = false;
}

INVARIANT bool no_overlaps(int i, int j)
{
    return i == j || !booking[i].present || !booking[j].present ||
           booking[i].room != booking[j].room || booking[i].to <= booking[j].from ||
           booking[j].to <= booking[i].from;
}

INITIAL void one_meeting(void)
{
    booking[0].present = true;
    booking[0].from = 540;
    booking[0].to = 600;
}

SCENARIO void two_bookings(void)
{
    book(0, 600, 660);
    book(0, 630, 690);
}

SCENARIO void moved_beside_a_booking(void)
{
    move(0, 630, 660);
    book(0, 600, 645);
    cancel(0);
}
