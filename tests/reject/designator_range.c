#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int a[9] = {[1 ... 3] = 7};
    x = a[2];
}
