#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(void) { account[0] = _Generic(0, int: ANY, default: 1); }
