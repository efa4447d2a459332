/* Two increments and a bystander.  With "the snapshot is the state after a prefix" compared by
 * value, the no-conflict rule misses that both increments ran on the bystander's state, and raises
 * a false alarm.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int c, y;

TRANSACTION void increment(void)
{
    c++;
}

TRANSACTION void write_y(void)
{
    y = 1;
}

FINAL bool both_counted(void)
{
    return c == 2;
}

SCENARIO void three(void)
{
    increment();
    write_y();
    increment();
}
