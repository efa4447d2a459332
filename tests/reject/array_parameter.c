#include <visar.h>

DATABASE int x;

static int sum(int a[3])
{
    return a[0] + a[1] + a[2];
}
TRANSACTION void t(void)
{
    int a[3] = {1, 2, 3};
    x = sum(a);
}
