/* A row that is read twice: the same version where a transaction has one snapshot, maybe two versions
 * where each statement or read has its own.  The static argument must know the difference.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 * robust: ser=proved si=proved psi=proved pc=proved cc=proved ra=proved rcs=not rc=not ec=not
 */
#include <visar.h>

DATABASE bool x;

TRANSACTION void set(void)
{
    x = true;
}

TRANSACTION int look_twice(void)
{
    int n = x;
    n += x;
    return n;
}

INVARIANT bool a_bool(void)
{
    return x == true || x == false;
}
