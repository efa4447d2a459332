/* Serializable transactions among others keep their order: no write skew between them (rw, rw).
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * mixed: ser,ser,si=holds
 * mixed: ser,ser,rc=holds
 * mixed: ser,si,ser=violated
 * mixed: si,si,ser=violated
 * mixed: ser,rc,rc=violated
 */
#include <visar.h>

DATABASE int x, y, z;

TRANSACTION void take_x(void)
{
    if (y == 0)
        x = 1;
}

TRANSACTION void take_y(void)
{
    if (x == 0)
        y = 1;
}

TRANSACTION void elsewhere(void) { z = 1; }

INVARIANT bool one_at_most(void) { return x + y <= 1; }

SCENARIO void three(void)
{
    take_x();
    take_y();
    elsewhere();
}
