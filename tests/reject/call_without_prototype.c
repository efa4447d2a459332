#include <visar.h>

DATABASE int x;

static void add()
{
    x++;
}

TRANSACTION void t(void)
{
    add(1, 2);
}
