#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    long double d;
    x = sizeof d;
}
