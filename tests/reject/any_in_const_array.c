#include <visar.h>

DATABASE int account[ANY];

static const int limit[ANY] = {1, 2};

TRANSACTION void t(void) { account[0] = limit[0]; }
