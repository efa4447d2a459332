#include <visar.h>

DATABASE int x;

static void reset(void)
{
    x = 0;
}
TRANSACTION void t(void) { x++; }
SCENARIO void s(void)
{
    reset();
    t();
}
