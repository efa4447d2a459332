#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
SCENARIO void s(void)
{
    t();
    s();
}
