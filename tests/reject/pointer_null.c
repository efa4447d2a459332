#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int *p = 0;
    x = 1;
}
