#include <visar.h>

DATABASE int x;

DATABASE int a[3];

TRANSACTION void t(void)
{
    int *p = &a[0];
    *(p + 1) = 2;
}
