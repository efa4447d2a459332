/* No invariant is written: references that exist are found, as the assertion needs them.
 * prove: ser=proved si=proved pc=proved
 */
#include <visar.h>
DATABASE struct { bool present; int parent; } child[ANY];
DATABASE struct { bool present; int n; } parent[ANY];
INITIAL void none(void) { }
TRANSACTION void add_parent(int i) { assume(i >= 0 && i < ANY); parent[i].present = true; }
TRANSACTION void add(int i, int p)
{
    assume(i >= 0 && i < ANY && p >= 0 && p < ANY);
    if (child[i].present || !parent[p].present) rollback();
    child[i].present = true;
    child[i].parent = p;
    parent[p].n = parent[p].n + 1;
}
TRANSACTION void sub(int i)
{
    assume(i >= 0 && i < ANY);
    if (!child[i].present) rollback();
    assert(parent[child[i].parent].present);
}
