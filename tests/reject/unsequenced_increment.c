#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int i = 1;
    i = i++;
    x = i;
}
