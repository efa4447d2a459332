#include <visar.h>

DATABASE int x;

TRANSACTION void t(void)
{
    int y = 1;
    for_update(y);
    x = y;
}
