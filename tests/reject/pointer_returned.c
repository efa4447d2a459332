#include <visar.h>

DATABASE int x;

static int *row(void)
{
    return &x;
}
TRANSACTION void t(void) { *row() = 1; }
