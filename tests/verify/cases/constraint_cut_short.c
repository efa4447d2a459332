/* A transaction that a loop bound cuts short lacks writes: that the constraint fails without them
 * must not hide it.
 * expect: ser=unknown si=unknown psi=unknown pc=unknown cc=unknown ra=unknown rcs=unknown rc=unknown ec=unknown
 */
#include <visar.h>

DATABASE int n, parent, child;

INITIAL void any(void)
{
    n = nondet_int();
    assume(n == 100);
}

CONSTRAINT bool has_parent(void) { return !child || parent; }

TRANSACTION void add_parent(void)
{
    for (int i = 0; i < n; i++)
        parent = 1;
}
TRANSACTION void add_child(void) { child = 1; }

INVARIANT bool no_parent(void) { return !parent; }

SCENARIO void two(void)
{
    SESSION
    {
        add_parent();
        add_child();
    }
}
