#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { _BitInt(17) b = 3; x = (int)b; }
