#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    _Complex double z = 1;
    x = 1;
}
