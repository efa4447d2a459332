#include <visar.h>
DATABASE int x;
TRANSACTION void t(void)
{
    int s = 0;
    for (int i = 0; i < 2147483647; i++)
        s ^= i;
    x = s;
}
INVARIANT bool any(void)
{
    return x == x;
}
