#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(void) { account[0]++; }
INVARIANT bool fine(int i)
{
    if (i > 0)
        i--;
    return account[i] >= 0;
}
