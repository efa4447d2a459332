/* Assumptions that exclude each other: no execution, so nothing is checked. */
#include <visar.h>

DATABASE int x;

TRANSACTION void set(int v)
{
    assume(v > 3);
    assume(v < 2);
    x = v;
}

FINAL bool never(void)
{
    return x == 17;
}

SCENARIO void once(void)
{
    set(nondet_int());
}
