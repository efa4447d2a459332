/* Coupon limit, with a counter: every redemption reads and writes the counter's row, so concurrent
 * redemptions conflict.  Any number of customers.  Compare coupon_rows.c.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define LIMIT 2

DATABASE struct { int used; } coupon;
DATABASE struct { bool redeemed; } customer[ANY];

TRANSACTION void redeem(int c)
{
    assume(c >= 0 && c < ANY);
    if (customer[c].redeemed || coupon.used >= LIMIT)
        rollback();
    coupon.used++;
    customer[c].redeemed = true;
}

static int redemptions(void)
{
    int n = 0;
    for (int c = 0; c < ANY; c++)
        if (customer[c].redeemed)
            n++;
    return n;
}

INVARIANT bool within_the_limit(void)
{
    return redemptions() <= LIMIT;
}

/* The lemma: the counter counts. */
INVARIANT bool counter_is_right(void)
{
    return coupon.used == redemptions();
}

SCENARIO void three_customers(void)
{
    redeem(0);
    redeem(1);
    redeem(2);
}
