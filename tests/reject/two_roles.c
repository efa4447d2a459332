#include <visar.h>

DATABASE int x;

TRANSACTION INITIAL void t(void) { x = 1; }
