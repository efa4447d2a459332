/* Checks that fail are told with their values; a declaration that is jumped over is no input. */
#include <visar.h>

DATABASE int seat[4];

TRANSACTION void book(int s, int who)
{
    if (seat[0] < 0)
        goto out;
    int price = 100 / who;
    if (seat[s] == 0)
        seat[s] = price;
out:;
}

INVARIANT bool sane(void)
{
    return seat[0] >= -1000;
}
