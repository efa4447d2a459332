#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    float f = 1.5f;
    x = (int)f;
}
