#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    _Atomic int a = 0;
    x = 1;
}
