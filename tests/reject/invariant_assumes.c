#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
INVARIANT bool fine(void)
{
    assume(x != 7);
    assert(x >= 0);
    return true;
}
