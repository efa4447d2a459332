/* Every step keeps the invariant, but the initial state does not satisfy it.
 * prove: ser=not si=not
 */
#include <visar.h>

DATABASE struct { int x; } row[ANY];

INITIAL void start(void)
{
    for (int i = 0; i < ANY; i++)
        row[i].x = i == 7 ? -1 : 5;
}

TRANSACTION void up(int i)
{
    assume(i >= 0 && i < ANY);
    if (row[i].x < 1000)
        row[i].x++;
}

INVARIANT bool positive(int i) { return row[i].x > 0; }
