#include <visar.h>

DATABASE int account[ANY] = {1, 2, 3};

TRANSACTION void t(void) { account[0]++; }
