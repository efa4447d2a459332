#include <visar.h>

DATABASE int account[ANY];

_Static_assert(ANY > 2, "rows");

TRANSACTION void t(void) { account[0]++; }
