#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int i = 0;
    int *p = &i;
    x = i++ + *p;
}
