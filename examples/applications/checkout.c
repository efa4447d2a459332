/* A shop's checkout: products are put into a cart, the checkout reserves them from stock, payment
 * takes them out of stock, and a cart that is not paid is cancelled.  Everything that changes a cart
 * writes its row, so adding a product beside the checkout is a conflict (compare ../cart.c); a
 * reservation writes the product's row, so no more is reserved than there is.  psi is enough.
 * Below, updates are lost: the shop sells what it does not have, and carts are paid twice.
 * Any number of carts, products and payments; money is in cents.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

enum state { OPEN, RESERVED, PAID };

DATABASE struct { int price, stock, reserved; } product[ANY];
DATABASE struct { enum state state; int total, payment; } cart[ANY];
DATABASE struct { int quantity, amount, reserved; } line[ANY][ANY]; /* cart, product */
DATABASE struct { bool present; int cart, amount; } payment[ANY];

TRANSACTION void add(int c, int p, int quantity)
{
    assume(c >= 0 && c < ANY);
    assume(p >= 0 && p < ANY);
    if (cart[c].state != OPEN || quantity <= 0)
        rollback();
    int amount = product[p].price * quantity;
    line[c][p].quantity += quantity;
    line[c][p].amount += amount;
    cart[c].total += amount;
}

TRANSACTION void checkout(int c)
{
    assume(c >= 0 && c < ANY);
    if (cart[c].state != OPEN)
        rollback();
    for (int p = 0; p < ANY; p++) {
        if (line[c][p].quantity > 0) {
            if (product[p].stock - product[p].reserved < line[c][p].quantity)
                rollback();
            product[p].reserved += line[c][p].quantity;
        }
        line[c][p].reserved = line[c][p].quantity;
    }
    cart[c].state = RESERVED;
}

TRANSACTION void pay(int c)
{
    assume(c >= 0 && c < ANY);
    if (cart[c].state != RESERVED)
        rollback();
    for (int p = 0; p < ANY; p++) {
        if (line[c][p].reserved > 0) {
            product[p].stock -= line[c][p].reserved;
            product[p].reserved -= line[c][p].reserved;
        }
        line[c][p].reserved = 0;
    }
    int k = fresh(payment);
    payment[k].present = true;
    payment[k].cart = c;
    payment[k].amount = cart[c].total;
    cart[c].payment = k;
    cart[c].state = PAID;
}

/* The reservation is given up, and the cart can be changed again. */
TRANSACTION void cancel(int c)
{
    assume(c >= 0 && c < ANY);
    if (cart[c].state != RESERVED)
        rollback();
    for (int p = 0; p < ANY; p++) {
        if (line[c][p].reserved > 0)
            product[p].reserved -= line[c][p].reserved;
        line[c][p].reserved = 0;
    }
    cart[c].state = OPEN;
}

TRANSACTION void deliver(int p, int pieces)
{
    assume(p >= 0 && p < ANY);
    if (pieces <= 0)
        rollback();
    product[p].stock += pieces;
}

INITIAL void opening(void)
{
    for (int p = 0; p < ANY; p++) {
        product[p].price = 250;
        product[p].stock = 2;
    }
}

INVARIANT bool reserved_is_in_stock(int p)
{
    return product[p].reserved >= 0 && product[p].reserved <= product[p].stock;
}

INVARIANT bool reservations_add_up(int p)
{
    long sum = 0;
    for (int c = 0; c < ANY; c++)
        sum += line[c][p].reserved;
    return product[p].reserved == sum;
}

INVARIANT bool total_is_sum_of_lines(int c)
{
    long sum = 0;
    for (int p = 0; p < ANY; p++)
        sum += line[c][p].amount;
    return cart[c].total == sum;
}

INVARIANT bool paid_in_full_and_once(int c, int k)
{
    return !payment[k].present || payment[k].cart != c ||
           (cart[c].state == PAID && cart[c].payment == k && payment[k].amount == cart[c].total);
}

/* The lemma: quantities are not negative, and only carts at the till have reservations.  (Checkout,
 * payment and cancellation write all lines of the cart, so nothing in it can change beside them.) */
INVARIANT bool reserved_at_the_till(int c, int p)
{
    return line[c][p].quantity >= 0 && line[c][p].reserved >= 0 &&
           (cart[c].state == RESERVED || line[c][p].reserved == 0);
}

SCENARIO void last_minute(void)
{
    SESSION {
        add(0, 0, 1);
        checkout(0);
    }
    add(0, 0, 1);
}

SCENARIO void the_last_piece(void)
{
    SESSION {
        add(0, 0, 2);
        checkout(0);
    }
    SESSION {
        add(1, 0, 1);
        checkout(1);
    }
}

SCENARIO void paid_twice(void)
{
    SESSION {
        add(0, 0, 1);
        checkout(0);
        pay(0);
    }
    pay(0);
}
