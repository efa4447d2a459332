/* A cycle that a dependency by overwriting closes (ww, rw) is no cycle if its middle is not serializable.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 * mixed: ser,pc=violated
 * mixed: pc,ser=violated
 * mixed: ser,ser=holds
 */
#include <visar.h>

DATABASE int x;

TRANSACTION void add_one(void) { x += 1; }

TRANSACTION void add_two(void) { x += 2; }

FINAL bool both(void) { return x == 3; }

SCENARIO void two(void)
{
    add_one();
    add_two();
}
