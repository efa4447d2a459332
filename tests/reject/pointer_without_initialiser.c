#include <visar.h>

DATABASE int x;

DATABASE int y;

TRANSACTION void t(void)
{
    int *p;
    if (x)
        p = &x;
    else
        p = &y;
    *p = 1;
}
