#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(void) { account[fresh(account[0])] = 1; }
