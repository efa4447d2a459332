#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    if (x)
        goto out;
    int *p = &x;
    *p = 2;
    out:
    *p = 1;
}
