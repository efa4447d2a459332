/* FusionTicket, purchases: the price rises with every ticket sold.  The till and the counter are
 * one row, so concurrent purchases conflict; where conflicts are allowed, a purchase is lost from
 * the till although its customer paid.  Any number of customers.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define FIRST_PRICE 20
#define RISE 5

DATABASE struct { int sold, collected; } event;
DATABASE struct { int paid; } customer[ANY];

TRANSACTION void purchase(int c)
{
    assume(c >= 0 && c < ANY);
    int price = FIRST_PRICE + RISE * event.sold;
    event.sold++;
    event.collected += price;
    customer[c].paid += price;
}

INVARIANT bool till_is_right(void)
{
    long paid = 0;
    for (int c = 0; c < ANY; c++)
        paid += customer[c].paid;
    return event.collected == paid;
}

SCENARIO void three_purchases(void)
{
    purchase(0);
    purchase(1);
    purchase(2);
}
