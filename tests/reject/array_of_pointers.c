#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int *p[2] = {&x, &x};
    *p[0] = 1;
}
