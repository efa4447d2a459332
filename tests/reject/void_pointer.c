#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    void *p = &x;
    x = 1;
}
