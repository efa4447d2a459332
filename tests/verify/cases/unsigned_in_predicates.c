/* In predicates unsigned arithmetic wraps, as C says, and signed arithmetic is exact; what is narrower than int is
 * promoted to int first.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>
DATABASE unsigned a, b;
DATABASE unsigned char c, d;
DATABASE int i,j;
TRANSACTION void set(void)
{
    a = 4294967295u;
    b = 1;
    c = 255;
    d = 1;
    i = 2147483647;
    j = 1;
}
INITIAL void zero(void) {}
INVARIANT bool wraps(void) { return a + b <= 4294967295u && a + b < 2 && (a == 0 || a + b == 0); }
INVARIANT bool never_negative(void) { return b - a >= 0; }
INVARIANT bool narrow(void) { return c == 0 || c + d == 256; }
INVARIANT bool exact(void) { return i == 0 || i + j > i; }
INVARIANT bool shifts(void) { return a == 0 || (a << 1) == 4294967294u; }

SCENARIO void once(void) { set(); }
