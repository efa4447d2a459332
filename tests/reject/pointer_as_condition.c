#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int *p = &x;
    if (p)
        x = 1;
    if (!p)
        x = 2;
    while (p && x)
        x = 0;
}
