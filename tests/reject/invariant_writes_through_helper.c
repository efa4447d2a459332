#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
static void touch(int *p)
{
    *p = 1;
}
static int look(void)
{
    touch(&x);
    return x;
}
INVARIANT bool fine(void) { return look() >= 0; }
