#include <visar.h>

DATABASE int x;

#define HALF(n) ((n) * 0.5)
TRANSACTION void t(void)
{
    x = HALF(x);
    x = HALF(x + 1);
}
