#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x++; }
INVARIANT void fine(void) { }
FINAL unsigned long done(void) { return 1; }
