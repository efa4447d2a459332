#include <visar.h>

DATABASE int account[ANY];

_Static_assert(ANY < 100, "few rows");

TRANSACTION void t(void) { account[0]++; }
