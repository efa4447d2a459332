#include <visar.h>

DATABASE int account[ANY];

DATABASE int district[10];

static bool open(unsigned d) { return district[d] > 0; }
TRANSACTION void t(void) { account[0]++; }
INVARIANT bool fine(int i) { return account[i] >= 0 || open(i); }
