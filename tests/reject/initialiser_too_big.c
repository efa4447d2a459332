#include <visar.h>

DATABASE int x[100000][1000] = {{1}};

TRANSACTION void t(void)
{
    x[0][0]++;
}
