/* Eight TPC-C-like transactions.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define DISTRICTS 2
#define ORDERS 6

DATABASE struct { int ytd; } warehouse;
DATABASE struct { int ytd, next_order; } district[DISTRICTS];
DATABASE struct { bool placed; int customer; } orders[DISTRICTS][ORDERS];

TRANSACTION void payment(int d, int amount)
{
    assume(d >= 0 && d < DISTRICTS);
    assume(amount > 0);
    warehouse.ytd += amount;
    district[d].ytd += amount;
}

TRANSACTION void new_order(int d, int customer)
{
    assume(d >= 0 && d < DISTRICTS);
    int id = district[d].next_order;
    if (id < 0 || id >= ORDERS)
        rollback();
    district[d].next_order = id + 1;
    orders[d][id].placed = true;
    orders[d][id].customer = customer;
}

INVARIANT bool warehouse_is_sum_of_districts(void)
{
    int sum = 0;
    for (int d = 0; d < DISTRICTS; d++)
        sum += district[d].ytd;
    return warehouse.ytd == sum;
}

INVARIANT bool next_order_id_counts_orders(void)
{
    for (int d = 0; d < DISTRICTS; d++)
        for (int o = 0; o < ORDERS; o++)
            if (orders[d][o].placed != (o < district[d].next_order))
                return false;
    return true;
}

SCENARIO void eight(void)
{
    payment(0, nondet_int());
    payment(1, nondet_int());
    payment(0, 5);
    payment(1, 7);
    new_order(0, 1);
    new_order(0, 2);
    new_order(1, 3);
    new_order(1, 4);
}
