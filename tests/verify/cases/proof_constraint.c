/* A constraint of every row, and a loop that writes all rows: what would end below zero is rolled
 * back.  Where snapshots are no states in the order of commits the rule does without constraints.
 * prove: ser=proved si=proved psi=not pc=proved cc=not ra=not rcs=proved rc=not ec=not
 */
#include <visar.h>

DATABASE struct { int stock; } item[ANY];

INITIAL void ten_each(void)
{
    for (int i = 0; i < ANY; i++)
        item[i].stock = 10;
}

CONSTRAINT bool in_stock(int i) { return item[i].stock >= 0; }

TRANSACTION void take_of_all(int n)
{
    assume(n >= 0 && n < 100);
    for (int i = 0; i < ANY; i++)
        item[i].stock -= n;
}

TRANSACTION void take(int i, int n)
{
    assume(i >= 0 && i < ANY && n >= 0 && n < 100);
    item[i].stock -= n;
}

INVARIANT bool not_negative(int i) { return item[i].stock >= 0; }
