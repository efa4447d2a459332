#include <visar.h>

DATABASE int x;

static int sum(int n, ...)
{
    return n;
}
TRANSACTION void t(void) { x = sum(2, 3, 4); }
