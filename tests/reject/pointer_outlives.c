#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int *p = &x;
    {
        int local = 1;
        p = &local;
    }
    x = *p;
}
