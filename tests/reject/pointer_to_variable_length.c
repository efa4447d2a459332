#include <visar.h>

DATABASE int x;

TRANSACTION void t(int n, int (*p)[n])
{
    x = (*p)[0];
}
