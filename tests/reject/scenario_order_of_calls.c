#include <visar.h>

DATABASE int x;

TRANSACTION int t(void) { return x++; }
SCENARIO void s(void)
{
    int sum = t() + t();
    assert(sum >= 0);
}
