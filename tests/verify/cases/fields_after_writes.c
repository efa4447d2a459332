/* A transaction that reads a field behind its own writes gets what it wrote.  At the levels of
 * servers the write of one field reads the others once more, so that the executor does not decide
 * the bounds of the index, which holds all the same.
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=holds rcs=holds rc=holds ec=holds
 */
#include <visar.h>

struct row {
    int place, other;
};

DATABASE struct row t[2];
DATABASE int u[4];

TRANSACTION void mark(int k)
{
    assume(k == 0 || k == 1);
    t[k].place = 2;
    t[k].other = 3;
    u[t[k].place] = 1;
}

INVARIANT bool small(void)
{
    return u[2] == 0 || u[2] == 1;
}

INITIAL void start(void)
{
    u[2] = 0;
}
