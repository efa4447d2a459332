#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int a[3] = {0}, i = 0;
    a[i] = i++;
    x = a[0];
}
