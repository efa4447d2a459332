#include <visar.h>

DATABASE int x;

static int checked(void)
{
    assert(x > 0);
    return 1;
}
static int stopped(void)
{
    if (x > 5)
        rollback();
    return 2;
}

TRANSACTION void t(void)
{
    x = checked() + stopped();
}
