#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
INVARIANT bool fine(int n) { return x >= n; }
