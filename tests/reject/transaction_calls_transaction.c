#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
TRANSACTION void twice(void)
{
    t();
    t();
}
