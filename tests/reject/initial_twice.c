#include <visar.h>

DATABASE int x;

INITIAL void start(void) { x = 1; }
INITIAL void begin(void) { x = 2; }
TRANSACTION void t(void) { x++; }
