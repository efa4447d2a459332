#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
SCENARIO void s(int n)
{
    for (int i = 0; i < n; i++)
        t();
}
