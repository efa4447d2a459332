#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(void) { account[0]++; }
INVARIANT bool fine(void) { return account[fresh(account)] == 0; }
