/* One client writes, then reads its own write: with session order that is what it sees. */
#include <visar.h>

DATABASE int x;
DATABASE bool lost;

TRANSACTION void put(int v)
{
    x = v;
}

TRANSACTION void check(int v)
{
    if (x != v)
        lost = true;
}

FINAL bool own_write_seen(void)
{
    return !lost;
}

SCENARIO void one_client(void)
{
    SESSION
    {
        put(7);
        check(7);
    }
}
