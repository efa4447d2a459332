#include <visar.h>

DATABASE int x;

TRANSACTION void t(int v[3], int w[])
{
    x = v[1] + w[0];
}
