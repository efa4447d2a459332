#include <visar.h>

DATABASE int x;

INITIAL void start(void)
{
    x = 1;
    rollback();
}
TRANSACTION void t(void) { x++; }
