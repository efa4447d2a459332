/* Flags in one word: lost where two may write it.
 * expect: ser=holds si=holds psi=holds pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE unsigned flags;

TRANSACTION void set(int bit)
{
    assume(bit >= 0 && bit < 8);
    flags |= 1u << bit;
}

FINAL bool both(void) { return (flags & 5u) == 5u; }

SCENARIO void two(void)
{
    set(0);
    set(2);
}
