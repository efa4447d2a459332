#include <visar.h>

DATABASE int account[ANY];

static void add(void) { account[fresh(account)] = 1; }
INITIAL void start(void) { add(); }
TRANSACTION void t(void) { account[0]++; }
