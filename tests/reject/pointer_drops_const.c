#include <visar.h>

DATABASE int x;

static const int limit = 3;

TRANSACTION void t(void)
{
    int *p = &limit;
    *p = 1;
}
