/* The constraint holds in every state, not just in the last one: that a later transaction repairs
 * what an earlier one did does not help.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

DATABASE int step, been_up;

CONSTRAINT bool small(void) { return step <= 1; }

TRANSACTION void up(void)
{
    step = 2;
    been_up = 1;
}
TRANSACTION void down(void) { step = 1; }

FINAL bool never_up(void) { return !been_up; }

SCENARIO void both(void)
{
    if (nondet_bool())
        up();
    down();
}
