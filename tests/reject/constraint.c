#include <visar.h>

DATABASE int x, y[3];
struct pair { int a, b; };

TRANSACTION void t(void) { x = 1; }
CONSTRAINT void nothing(void) { }
CONSTRAINT bool writes(int i) { return y[i]++ > 0; }
CONSTRAINT bool locks(int i) { for_share(y[i]); return y[i] > 0; }
CONSTRAINT bool assumes(int i) { assume(x > 0); return y[i] > 0; }
CONSTRAINT bool pair(struct pair p) { return p.a > p.b; }
CONSTRAINT INVARIANT bool two(void) { return x > 0; }
CONSTRAINT int z;
