#include <visar.h>

DATABASE int x;

INITIAL void start(int n) { x = n; }
TRANSACTION void t(void) { x++; }
