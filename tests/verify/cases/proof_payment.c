/* TPC-C payment: what a warehouse got is the sum over its districts, for every warehouse.
 * prove: ser=proved si=proved psi=proved pc=not cc=not ra=not
 */
#include <visar.h>
DATABASE struct { long ytd; } warehouse[ANY];
DATABASE struct { long ytd; } district[ANY][ANY];
INITIAL void open(void) { }
TRANSACTION void payment(int w, int d, int amount)
{
    assume(w >= 0 && w < ANY && d >= 0 && d < ANY);
    assume(amount > 0);
    warehouse[w].ytd += amount;
    district[w][d].ytd += amount;
}
INVARIANT bool adds_up(int w)
{
    long sum = 0;
    for (int d = 0; d < ANY; d++) sum += district[w][d].ytd;
    return sum == warehouse[w].ytd;
}
