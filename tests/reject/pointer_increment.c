#include <visar.h>

DATABASE int x;

DATABASE int a[3];

TRANSACTION void t(void)
{
    int *p = a;
    p++;
    *p = 2;
}
