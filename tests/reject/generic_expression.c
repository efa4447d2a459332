#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    x = _Generic(x, int: x + 1, default: 0);
}
