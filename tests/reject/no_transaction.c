#include <visar.h>

DATABASE int x;

INVARIANT bool fine(void) { return x >= 0; }
