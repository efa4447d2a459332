/* Every state in the order of commits satisfies the constraint; a snapshot that is no such state
 * need not: a reader may see the child without its parent.
 * expect: ser=holds si=holds psi=violated pc=holds cc=violated ra=violated rcs=holds rc=violated ec=violated
 * prove: ser=proved si=proved psi=not pc=proved cc=not ra=not rcs=proved rc=not ec=not pg-rc=proved pg-rr=proved my-rc=proved my-rr=proved
 */
#include <visar.h>

DATABASE int parent, child;

INITIAL void nothing(void) { parent = 0; }

CONSTRAINT bool has_parent(void) { return !child || parent; }

TRANSACTION void add_parent(void) { parent = 1; }
TRANSACTION void add_child(void) { child = 1; }
TRANSACTION void look(void) { assert(!child || parent); }
