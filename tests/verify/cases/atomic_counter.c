/* In the abstract models ATOMIC is a statement and no lock: two increments may see the same value, and one is lost.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int n;

TRANSACTION void add(void) { ATOMIC n++; }

INITIAL void nothing(void) { n = 0; }

FINAL bool counted(void) { return n == 2; }

SCENARIO void two(void)
{
    add();
    add();
}
