#include <visar.h>

DATABASE int x;

static int f(void)
{
    return x;
}

TRANSACTION void t(void)
{
    int a[2] = {[0] = f(), [0] = 2};
    x = a[0];
}
