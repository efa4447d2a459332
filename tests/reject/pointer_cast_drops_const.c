#include <visar.h>

DATABASE int x;

static const int limit = 3;

TRANSACTION void t(void)
{
    int *p = (int *)&limit;
    *p = 1;
}
