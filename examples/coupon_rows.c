/* Coupon limit, by counting rows: a redemption counts those that it sees and inserts a row of its
 * own, so nothing conflicts and the limit is exceeded.  Any number of customers.
 * Compare coupon_counter.c.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define LIMIT 2

DATABASE struct { bool redeemed; } customer[ANY];

static int redemptions(void)
{
    int n = 0;
    for (int c = 0; c < ANY; c++)
        if (customer[c].redeemed)
            n++;
    return n;
}

TRANSACTION void redeem(int c)
{
    assume(c >= 0 && c < ANY);
    if (customer[c].redeemed || redemptions() >= LIMIT)
        rollback();
    customer[c].redeemed = true;
}

INVARIANT bool within_the_limit(void)
{
    return redemptions() <= LIMIT;
}

SCENARIO void three_customers(void)
{
    redeem(0);
    redeem(1);
    redeem(2);
}
