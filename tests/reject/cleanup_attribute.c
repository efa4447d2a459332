#include <visar.h>

DATABASE int x;

static void done(int *p)
{
    *p = 0;
}

TRANSACTION void t(void)
{
    __attribute__((cleanup(done))) int i = 1;
    x = i;
}
