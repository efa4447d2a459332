/* One parameter is an index of two dimensions that differ in size: rows of the larger one have no
 * counterpart in the smaller one.  Two increments of one row in concurrent transactions are one
 * where the model allows lost updates, and then the table and its counter differ.
 *
 * expect: ec=violated rc=violated rcs=violated ra=violated cc=violated pc=violated psi=holds si=holds ser=holds */
#include <visar.h>

DATABASE int t[2][3];
DATABASE int count[2];

INITIAL void opening(void)
{
}

TRANSACTION void add(int p, int q)
{
    assume(0 <= p && p < 2);
    assume(0 <= q && q < 3);
    if (q < 2 && t[q][q] != 0)
        rollback();
    t[p][q] += 1;
    count[p] += 1;
}

INVARIANT bool counted(void)
{
    return t[0][0] + t[0][1] + t[0][2] == count[0] && t[1][0] + t[1][1] + t[1][2] == count[1];
}
