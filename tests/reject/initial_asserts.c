#include <visar.h>

DATABASE int x;

INITIAL void start(void)
{
    x = 1;
    assert(x == 1);
}
TRANSACTION void t(void) { x++; }
