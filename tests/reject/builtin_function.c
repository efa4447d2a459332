#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    x = __builtin_popcount(x);
}
