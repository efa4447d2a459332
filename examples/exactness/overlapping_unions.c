/* Three concurrent writers and two readers whose snapshots overlap: one sees the first two, the
 * other the last two.  Neither snapshot is a prefix nor the output of one transaction, and parallel
 * snapshot isolation allows both at once.
 *
 * expect: ser=holds si=holds psi=violated pc=holds cc=violated ra=violated rcs=holds rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x, y, w;
DATABASE bool first_two, last_two;

TRANSACTION void write_x(void)
{
    x = y == 0 && w == 0 ? 1 : 2;
}

TRANSACTION void write_y(void)
{
    y = x == 0 && w == 0 ? 1 : 2;
}

TRANSACTION void write_w(void)
{
    w = x == 0 && y == 0 ? 1 : 2;
}

TRANSACTION void look_at_first_two(void)
{
    if (x == 1 && y == 1 && w == 0)
        first_two = true;
}

TRANSACTION void look_at_last_two(void)
{
    if (y == 1 && w == 1 && x == 0)
        last_two = true;
}

FINAL bool not_both(void)
{
    return !(first_two && last_two);
}

SCENARIO void five(void)
{
    write_x();
    write_y();
    write_w();
    look_at_first_two();
    look_at_last_two();
}
