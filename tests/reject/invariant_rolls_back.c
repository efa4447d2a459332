#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
INVARIANT bool fine(void)
{
    if (x < 0)
        rollback();
    return true;
}
