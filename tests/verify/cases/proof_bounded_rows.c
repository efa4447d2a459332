/* At most 10 bookings, each of at most 4 seats: at most 40 seats.  That there is room for one more
 * booking is known because each row is bounded: 9 bookings are 36 seats at most.
 * prove: ser=proved si=not pc=not
 */
#include <visar.h>
DATABASE struct { bool present; int seats; } booking[ANY];
INITIAL void nothing(void) { }
TRANSACTION void book(int b, int seats)
{
    assume(b >= 0 && b < ANY && seats > 0 && seats <= 4);
    int bookings = 0;
    for (int i = 0; i < ANY; i++)
        if (booking[i].present) bookings++;
    if (bookings >= 10 || booking[b].present) rollback();
    booking[b].present = true;
    booking[b].seats = seats;
}
INVARIANT bool few_seats(int i) { return booking[i].seats <= 4; }
INVARIANT bool few_bookings(void)
{
    int bookings = 0;
    for (int i = 0; i < ANY; i++)
        if (booking[i].present) bookings++;
    return bookings <= 10;
}
INVARIANT bool capacity(void)
{
    long sum = 0;
    for (int i = 0; i < ANY; i++)
        if (booking[i].present) sum += booking[i].seats;
    return sum <= 40;
}
