#include <visar.h>

DATABASE int x, table[3];

TRANSACTION void t(void)
{
    for_share(table);
    x = 1;
}
INVARIANT bool i(void)
{
    for_share(x);
    return x > 0;
}
