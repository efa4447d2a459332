#include <visar.h>

DATABASE int x;

DATABASE int a[3];

TRANSACTION void t(void)
{
    for_update(a);
    a[0] = 1;
}
