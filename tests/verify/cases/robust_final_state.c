/* Every read is explained by the order copy, set, but the final state is not: copy() writes y on a
 * snapshot without set(), whose y it overwrites.  Only the final state tells.
 *
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * robust: ser=proved si=robust psi=robust pc=not cc=not ra=not rcs=not rc=not ec=not
 */
#include <visar.h>

DATABASE int x, y;

TRANSACTION void set(void)
{
    x = 1;
    y = 1;
}

TRANSACTION void copy(void)
{
    y = x;
}

FINAL bool as_set(void)
{
    return y == 1;
}

SCENARIO void both(void)
{
    set();
    copy();
}
