/* A loop that may go on after the bound: no verdict without --unwind.
 * expect: ser=unknown si=unknown psi=unknown pc=unknown cc=unknown ra=unknown rcs=unknown rc=unknown ec=unknown
 */
#include <visar.h>

DATABASE int n, x;

TRANSACTION void count(void)
{
    for (int i = 0; i < n; i++)
        x = i;
}

INITIAL void any(void) { n = nondet_int(); }

INVARIANT bool small(void) { return x < 1000; }

SCENARIO void one(void) { count(); }
