#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int n = x;
    typedef int row[n++];
    x = n;
}
