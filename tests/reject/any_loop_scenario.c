#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(int i) { account[i]++; }
SCENARIO void all(void)
{
    for (int i = 0; i < ANY; i++)
        t(i);
}
