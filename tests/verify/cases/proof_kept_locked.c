/* A quantity only grows, unless the row of its limit is written.  Whoever adds to it only locks
 * the limit, so that one who sets the limit to the quantity that it sees may miss an addition.
 * prove: ser=proved si=not psi=not pc=not
 */
#include <visar.h>

DATABASE struct { int most, version; } limit[ANY];
DATABASE int quantity[ANY];

INITIAL void nothing(void) { }

TRANSACTION void raise(int i)
{
    assume(i >= 0 && i < ANY);
    limit[i].most++;
}

TRANSACTION void add(int i)
{
    assume(i >= 0 && i < ANY);
    for_update(limit[i]);
    if (quantity[i] >= limit[i].most)
        rollback();
    quantity[i]++;
}

TRANSACTION void clear(int i)
{
    assume(i >= 0 && i < ANY);
    if (limit[i].most < 0)
        rollback();
    quantity[i] = 0;
    limit[i].version++;
}

TRANSACTION void no_more(int i)
{
    assume(i >= 0 && i < ANY);
    limit[i].most = quantity[i];
}

INVARIANT bool within(int i) { return quantity[i] <= limit[i].most; }
