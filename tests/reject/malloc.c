#include <visar.h>

DATABASE int x;

#include <stdlib.h>

TRANSACTION void t(void)
{
    int *p = malloc(sizeof *p);
    *p = x;
    free(p);
}
