#include <visar.h>

DATABASE int x;

DATABASE int a[3];

TRANSACTION void t(void)
{
    x = (int)(&a[2] - &a[0]);
}
