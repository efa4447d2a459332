#include <visar.h>

DATABASE int account[ANY];

TRANSACTION void t(int i) { account[i]++; }
SCENARIO void one(void) { t(fresh(account)); }
