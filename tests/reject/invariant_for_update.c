#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
INVARIANT bool fine(void)
{
    for_update(x);
    return x >= 0;
}
