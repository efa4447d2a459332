#include <visar.h>

DATABASE int x;

static int twice(int i)
{
    return 2 * i;
}

TRANSACTION void t(void)
{
    int (*f)(int) = twice;
    x = f(x);
}
