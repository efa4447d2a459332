#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    volatile int i = 0;
    x = i;
}
