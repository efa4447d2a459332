#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    const int n = 3;
    int a[n];
    a[0] = 1;
    x = a[0];
}
