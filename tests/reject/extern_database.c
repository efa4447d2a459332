#include <visar.h>

DATABASE int x;

extern DATABASE int far;
TRANSACTION void t(void) { x++; }
