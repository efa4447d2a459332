/* A loop that may go on after any bound. */
#include <visar.h>

DATABASE int x;

TRANSACTION void count(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    x = sum;
}

INVARIANT bool small(void)
{
    return x < 1000;
}

SCENARIO void once(void)
{
    count(nondet_int());
}
