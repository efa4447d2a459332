#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
FINAL bool fine(const int *n) { return x >= *n; }
