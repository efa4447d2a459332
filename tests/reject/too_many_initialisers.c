#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int a[2] = {1, 2, 3};
    x = a[0];
}
