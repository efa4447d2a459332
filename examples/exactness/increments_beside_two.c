/* Two increments and two bystanders: as increments_beside_one.c, where the literature's encoding
 * raises a false alarm for snapshot isolation, too.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int c, x, y;

TRANSACTION void increment(void)
{
    c++;
}

TRANSACTION void write_x(void)
{
    x = 1;
}

TRANSACTION void write_y(void)
{
    y = 1;
}

FINAL bool both_counted(void)
{
    return c == 2;
}

SCENARIO void four(void)
{
    increment();
    write_y();
    increment();
    write_x();
}
