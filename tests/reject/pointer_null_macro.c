#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int *p = NULL;
    if (p != NULL)
        x = 1;
}
