#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    if (x)
        goto inside;
    {
        x = 1;
    inside:
        x = 2;
    }
}
