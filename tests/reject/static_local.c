#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    static int calls;
    calls++;
    x = calls;
}
