#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
SCENARIO void s(void)
{
    for (int i = 0; i < 3; i++)
        SESSION
        {
            t();
            if (i == 1)
                break;
            if (i == 2)
                continue;
            t();
        }
    SESSION
    {
        if (nondet_bool())
            return;
        if (nondet_bool())
            goto out;
        t();
    }
out:
    t();
}
