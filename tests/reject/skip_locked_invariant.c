#include <visar.h>

DATABASE struct { int state, n; } list[ANY];

TRANSACTION void t(int i) { list[i].n = 1; }
INVARIANT bool nothing(void)
{
    for (int i = 0; i < ANY; i++)
        if (skip_locked(list[i]))
            return false;
    return true;
}
