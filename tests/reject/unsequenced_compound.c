#include <visar.h>

DATABASE int x;

static int bump(void)
{
    return ++x;
}

TRANSACTION void t(void)
{
    x += bump();
}
