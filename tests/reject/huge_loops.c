#include <visar.h>
DATABASE int x;
static int row(int from)
{
    int s = from;
    for (int j = 100 * 100; j > 0; j--)
        s ^= j;
    return s;
}
TRANSACTION void t(int start)
{
    int s = start, i = 0;
    while (i != 10000) {
        s ^= row(s);
        i++;
    }
    x = s;
}
INVARIANT bool any(void)
{
    return x == x;
}
