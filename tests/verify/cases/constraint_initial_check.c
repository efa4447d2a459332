/* INITIAL fails before it comes to its end: no state that a constraint could be asked of.
 * expect: ser=violated si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE int x[2];

CONSTRAINT bool some(void) { return x[0] != x[1]; }

INITIAL void start(void)
{
    int i = nondet_int();
    assume(i == 1 || i == 2);
    x[i] = 1;
}

TRANSACTION void touch(void) { x[0] = 2; }
