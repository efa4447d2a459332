/* Counters that only their own increments touch, and a guard that reads both. */
#include <visar.h>

DATABASE int a, b;

TRANSACTION void look(void)
{
    assert(a >= 0);
}

TRANSACTION void take_a(void)
{
    if (a + b > 0)
        a--;
}

TRANSACTION void take_b(void)
{
    if (a + b > 0)
        b--;
}

INITIAL void start(void)
{
    a = 1;
    b = 0;
}

FINAL bool sum_not_negative(void)
{
    return a + b >= 0;
}

SCENARIO void both(void)
{
    take_a();
    take_b();
    look();
}
