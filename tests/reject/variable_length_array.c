#include <visar.h>

DATABASE int x;

TRANSACTION void t(int n)
{
    int a[n];
    a[0] = 1;
    x = a[0];
}
