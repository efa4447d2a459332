/* TPC-C in miniature: payments add to the warehouse and to one district; a new order takes the
 * district's next order id.  Two consistency conditions of the benchmark (TPC-C 3.3.2.1 and the
 * spirit of 3.3.2.2): the warehouse's total is the sum of its districts', and the next order id
 * counts the orders of the district.  Both transactions write the rows that they read, so snapshot
 * isolation is as good as serializability here (Fekete et al. 2005); weaker levels lose updates.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define DISTRICTS 2
#define ORDERS 4 /* room for that many in each district */

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

SCENARIO void rush_hour(void)
{
    payment(0, nondet_int());
    payment(1, nondet_int());
    new_order(0, 1);
    new_order(0, 2);
}
