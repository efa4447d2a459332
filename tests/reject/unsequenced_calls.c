#include <visar.h>

DATABASE int x;

DATABASE int y;
static int take(void)
{
    return y--;
}

TRANSACTION void t(void)
{
    x = take() + y;
}
