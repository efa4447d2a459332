#include <visar.h>

DATABASE int x;

DATABASE int a[3];

TRANSACTION void t(int i, int j)
{
    int *p = &a[i], *q = &a[j];
    if (p == q)
        x = 1;
}
