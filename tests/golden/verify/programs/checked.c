/* Built-in checks that hold: how many, and in which run. */
#include <visar.h>

DATABASE int stock[3], at, parts = 4;

TRANSACTION void next(void)
{
    stock[at] += 1;
    at = (at + 1) % 3;
    stock[at] += 12 / parts;
}

TRANSACTION void split(void)
{
    parts = parts + 1;
}

INVARIANT bool filled(void)
{
    return stock[0] >= 0;
}

SCENARIO void busy(void)
{
    next();
    split();
}
