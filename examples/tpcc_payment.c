/* TPC-C's payment on any number of warehouses with ten districts each: consistency condition 1, the
 * warehouse's total is the sum of its districts', for every warehouse.  A payment reads and writes
 * the same two rows: psi is enough, below updates are lost.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

#define DISTRICTS 10

DATABASE struct { int ytd; } warehouse[ANY];
DATABASE struct { int ytd; } district[ANY][DISTRICTS];

TRANSACTION void payment(int w, int d, int amount)
{
    assume(w >= 0 && w < ANY);
    assume(d >= 0 && d < DISTRICTS);
    assume(amount > 0);
    warehouse[w].ytd += amount;
    district[w][d].ytd += amount;
}

INVARIANT bool warehouse_is_sum_of_districts(int w)
{
    long sum = 0;
    for (int d = 0; d < DISTRICTS; d++)
        sum += district[w][d].ytd;
    return warehouse[w].ytd == sum;
}

SCENARIO void two_payments(void)
{
    payment(0, 0, 10);
    payment(0, 1, nondet_int());
}
