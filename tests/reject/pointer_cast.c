#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    unsigned *p = (unsigned *)&x;
    *p = 1;
}
