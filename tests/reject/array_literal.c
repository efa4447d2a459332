#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    x = ((int[]){1, 2, 3})[1];
}
