/* Seat reservation with holds that expire: a customer holds a seat for ten minutes and then buys it.
 * A hold that has expired may be taken over, and a sweeper frees such seats.  Time is a row, which
 * only moves forward.  Whoever holds, frees or buys a seat writes its row, so no seat is sold twice
 * wherever two writers of a row conflict (psi), even if somebody looks at an old clock.  Below,
 * two customers get a ticket for one seat.  Any number of seats and tickets.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define MINUTES 10

enum state { FREE, HELD, SOLD };

DATABASE struct { int now; } clock_row;
DATABASE struct { enum state state; int holder, until, ticket; } seat[ANY];
DATABASE struct { bool present; int seat, customer; } ticket[ANY];

TRANSACTION void tick(void)
{
    clock_row.now++;
}

TRANSACTION void hold(int s, int customer)
{
    assume(s >= 0 && s < ANY);
    if (seat[s].state == SOLD || (seat[s].state == HELD && seat[s].until > clock_row.now))
        rollback();
    seat[s].state = HELD;
    seat[s].holder = customer;
    seat[s].until = clock_row.now + MINUTES;
}

TRANSACTION void buy(int s, int customer)
{
    assume(s >= 0 && s < ANY);
    if (seat[s].state != HELD || seat[s].holder != customer || seat[s].until <= clock_row.now)
        rollback();
    int t = fresh(ticket);
    ticket[t].present = true;
    ticket[t].seat = s;
    ticket[t].customer = customer;
    seat[s].state = SOLD;
    seat[s].ticket = t;
}

TRANSACTION void sweep(void)
{
    int now = clock_row.now;
    for (int s = 0; s < ANY; s++)
        if (seat[s].state == HELD && seat[s].until <= now)
            seat[s].state = FREE;
}

INVARIANT bool no_seat_is_sold_twice(int i, int j)
{
    return i == j || !ticket[i].present || !ticket[j].present || ticket[i].seat != ticket[j].seat;
}

/* The lemma: a ticket's seat is sold, to the holder of the ticket, and knows the ticket. */
INVARIANT bool tickets_have_seats(int t, int s)
{
    return !ticket[t].present || ticket[t].seat != s ||
           (seat[s].state == SOLD && seat[s].ticket == t && seat[s].holder == ticket[t].customer);
}

SCENARIO void one_holder_two_clicks(void)
{
    SESSION {
        hold(0, 7);
        buy(0, 7);
    }
    buy(0, 7);
}

SCENARIO void the_hold_expires(void)
{
    SESSION {
        hold(0, 7);
        buy(0, 7);
    }
    sweep();
    tick();
}
