/* A fresh row is all zeros where the transaction's writes land, not in what it saw: others may have
 * written it and cleared it again.
 * prove: ser=proved si=not psi=not pc=not cc=not ra=not rcs=not
 */
#include <visar.h>

DATABASE struct { int x; } row[ANY];

INITIAL void nothing(void) { }

TRANSACTION void set(int i)
{
    assume(i >= 0 && i < ANY);
    row[i].x = 1;
}

TRANSACTION void clear(int i)
{
    assume(i >= 0 && i < ANY);
    row[i].x = 0;
}

TRANSACTION void look(void)
{
    int i = fresh(row);
    assert(row[i].x == 0);
}
