/* Long fork: two independent writes, and two readers that see them in opposite orders.  Levels whose
 * snapshots are prefixes of one commit order cannot fork; that includes read committed with
 * statement snapshots, because each reader looks last at the write that it misses.
 *
 * expect: ser=holds si=holds psi=violated pc=holds cc=violated ra=violated rcs=holds rc=violated ec=violated
 * robust: ser=proved si=robust psi=not pc=robust cc=not ra=not rcs=not rc=not ec=not */
#include <visar.h>

DATABASE int x, y;
DATABASE struct { int x, y; } seen[2];

TRANSACTION void write_x(void)
{
    x = 1;
}

TRANSACTION void write_y(void)
{
    y = 1;
}

TRANSACTION void read_x_then_y(void)
{
    int first = x;
    int second = y;
    seen[0].x = first;
    seen[0].y = second;
}

TRANSACTION void read_y_then_x(void)
{
    int first = y;
    int second = x;
    seen[1].y = first;
    seen[1].x = second;
}

FINAL bool readers_agree_on_an_order(void)
{
    bool x_came_first = seen[0].x == 1 && seen[0].y == 0;
    bool y_came_first = seen[1].y == 1 && seen[1].x == 0;
    return !(x_came_first && y_came_first);
}

SCENARIO void two_writers_two_readers(void)
{
    write_x();
    write_y();
    read_x_then_y();
    read_y_then_x();
}
