#include <visar.h>

DATABASE int x;

static int add(int a, int b)
{
    return a + b;
}

TRANSACTION void t(void)
{
    int i = 0;
    x = add(i++, i);
}
