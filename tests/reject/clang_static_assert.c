#include <visar.h>

DATABASE int x;

_Static_assert(sizeof(int) == 3, "an int has three bytes");
TRANSACTION void t(void) { x++; }
