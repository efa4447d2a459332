/* A reference by hand: adding a child locks the parent and looks whether it is there; deleting the
 * parent locks it, too, and looks for children.  At READ COMMITTED each sees what the other did once
 * it has the lock.  At REPEATABLE READ of PostgreSQL the child has only locked the parent, so the
 * deletion goes on with a snapshot that does not have the child.  (Rows carry a flag that says
 * whether they are there.)
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool there; } parent[ANY];
DATABASE struct { bool there; int parent; } child[ANY];

TRANSACTION void add_child(int p)
{
    assume(p >= 0 && p < ANY);
    for_share(parent[p]);
    if (!parent[p].there)
        rollback();
    int c = fresh(child);
    child[c].there = true;
    child[c].parent = p;
}

TRANSACTION void delete_parent(int p)
{
    assume(p >= 0 && p < ANY);
    for_update(parent[p]);
    for (int c = 0; c < ANY; c++)
        if (child[c].there && child[c].parent == p)
            rollback();
    parent[p].there = false;
}

INITIAL void parents(void)
{
    for (int p = 0; p < ANY; p++)
        parent[p].there = true;
}

INVARIANT bool children_have_parents(int c, int p)
{
    return !child[c].there || child[c].parent != p || parent[p].there;
}
