#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
INVARIANT bool fine(void) { return x != nondet_int(); }
