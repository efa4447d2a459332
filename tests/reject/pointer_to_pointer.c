#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int *p = &x;
    int **q = &p;
    **q = 1;
}
