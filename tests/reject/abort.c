#include <visar.h>

DATABASE int x;

#include <stdlib.h>

TRANSACTION void t(void)
{
    if (x < 0)
        abort();
    x = 1;
}
