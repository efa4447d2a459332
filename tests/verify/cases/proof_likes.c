/* A counter of rows that refer to it: a count with a parameter.
 * prove: ser=proved si=proved psi=proved pc=not cc=not ra=not
 */
#include <visar.h>
DATABASE struct { int likes; } post[ANY];
DATABASE struct { bool present; int post; } like[ANY];
INITIAL void open(void) { }
TRANSACTION void add(int i, int p)
{
    assume(i >= 0 && i < ANY && p >= 0 && p < ANY);
    if (like[i].present) rollback();
    like[i].present = true;
    like[i].post = p;
    post[p].likes++;
}
TRANSACTION void unlike(int i)
{
    assume(i >= 0 && i < ANY);
    if (!like[i].present) rollback();
    int p = like[i].post;
    assume(p >= 0 && p < ANY);
    like[i].present = false;
    post[p].likes--;
}
INVARIANT bool counted(int p)
{
    long n = 0;
    for (int i = 0; i < ANY; i++) if (like[i].present && like[i].post == p) n++;
    return n == post[p].likes;
}
