#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(void) { account[0]++; }
INVARIANT bool fine(unsigned char i) { return account[i] >= 0; }
