/* A fresh row is all zeros after all transactions before; a set of some of them that a reader may
 * see can lack the one that cleared it.
 * prove: ser=proved si=proved pc=proved rcs=proved psi=not cc=not ra=not
 */
#include <visar.h>

DATABASE struct { bool set; } row[ANY];
DATABASE struct { bool used; } other[ANY];

INITIAL void nothing(void) { }

TRANSACTION void set(int i)
{
    assume(i >= 0 && i < ANY);
    row[i].set = true;
    other[i].used = false;
}

TRANSACTION void clear(int i)
{
    assume(i >= 0 && i < ANY);
    row[i].set = false;
}

TRANSACTION void use(void) { other[fresh(row)].used = true; }

INVARIANT bool not_both(int i) { return !row[i].set || !other[i].used; }
