#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
SCENARIO int s(void)
{
    t();
    return 1;
}
