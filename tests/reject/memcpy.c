#include <visar.h>

DATABASE int x;

#include <string.h>

TRANSACTION void t(void)
{
    int y;
    memcpy(&y, &x, sizeof y);
    x = y + 1;
}
