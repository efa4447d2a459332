#include <visar.h>

DATABASE int x;

static int apply(int (*f)(int), int i)
{
    return f(i);
}
static int twice(int i)
{
    return 2 * i;
}
TRANSACTION void t(void) { x = apply(twice, x); }
