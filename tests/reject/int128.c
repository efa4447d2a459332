#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    __int128 big = x;
    x = (int)big;
}
