#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
static void both(void)
{
    t();
}
SCENARIO void s(void) { both(); }
