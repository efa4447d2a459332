#include <visar.h>

DATABASE int x;

TRANSACTION void t(int n)
{
    x++;
    if (n > 0)
        t(n - 1);
}
