#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    DATABASE int y = 1;
    x = y;
}
