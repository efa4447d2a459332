#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    void *to = &&out;
    goto *to;
    out:
    x = 1;
}
