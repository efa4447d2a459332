#include <visar.h>
DATABASE long a, b;
TRANSACTION void t(long x)
{
    a = x;
    b = x;
}
INVARIANT bool bounded(void)
{
    return a * b <= 9223372036854775807L;
}
