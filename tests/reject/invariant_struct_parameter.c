#include <visar.h>

struct range { int from, to; };
DATABASE int x;

TRANSACTION void t(void) { x++; }
INVARIANT bool fine(struct range r, int n) { return x < r.from || x >= r.to || x == n; }
