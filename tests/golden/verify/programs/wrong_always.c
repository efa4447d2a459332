/* Wrong under every model, and one predicate that is wrong at once. */
#include <visar.h>

DATABASE int x;

TRANSACTION void fall(void)
{
    x -= 2;
}

INVARIANT bool positive(void)
{
    return x >= 0;
}

INVARIANT bool even_at_first(void)
{
    return x % 2 == 0;
}

INITIAL void start(void)
{
    x = 1;
}

SCENARIO void one(void)
{
    fall();
}
