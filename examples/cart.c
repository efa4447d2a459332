/* Cart and checkout (ACIDRain, Warszawski and Bailis 2017): an item is added while the cart is
 * being paid.  The checkout sums the items that it sees; the item that slips in is never paid.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define ITEMS 2

static const int price[ITEMS] = {10, 25};

DATABASE struct { bool closed; int paid; } order;
DATABASE struct { int quantity; } item[ITEMS];

static int value_of_cart(void)
{
    int sum = 0;
    for (int i = 0; i < ITEMS; i++)
        sum += price[i] * item[i].quantity;
    return sum;
}

TRANSACTION void add_item(int i)
{
    assume(i >= 0 && i < ITEMS);
    if (order.closed)
        rollback();
    item[i].quantity++;
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
    item[0].quantity = 1;
}

INVARIANT bool everything_is_paid(void)
{
    return !order.closed || order.paid == value_of_cart();
}

SCENARIO void last_minute(void)
{
    add_item(1);
    checkout();
}
