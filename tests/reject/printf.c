#include <visar.h>

DATABASE int x;

#include <stdio.h>

TRANSACTION void t(void)
{
    printf("x = %d\n", x);
    x = 1;
}
