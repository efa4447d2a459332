#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    again:
    x++;
    if (x < 3)
        goto again;
}
