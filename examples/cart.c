/* Cart and checkout (ACIDRain, Warszawski and Bailis 2017): an item is added while the cart is
 * being paid.  The checkout sums the items that it sees; the item that slips in is never paid.
 * Any number of items in the cart.  applications/checkout.c does it right.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool closed; int paid; } order;
DATABASE struct { bool there; int price; } item[ANY];

static int value_of_cart(void)
{
    int sum = 0;
    for (int i = 0; i < ANY; i++)
        if (item[i].there)
            sum += item[i].price;
    return sum;
}

TRANSACTION void add_item(int price)
{
    if (order.closed)
        rollback();
    int i = fresh(item);
    item[i].there = true;
    item[i].price = price;
}

TRANSACTION void checkout(void)
{
    if (order.closed)
        rollback();
    order.paid = value_of_cart();
    order.closed = true;
}

INITIAL void one_item_in_the_cart(void)
{
    item[0].there = true;
    item[0].price = 10;
}

INVARIANT bool everything_is_paid(void)
{
    return !order.closed || order.paid == value_of_cart();
}

SCENARIO void last_minute(void)
{
    add_item(25);
    checkout();
}
