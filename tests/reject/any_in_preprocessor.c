#include <visar.h>

#if ANY > 10
DATABASE int account[ANY];
#else
DATABASE int account[1];
#endif

TRANSACTION void t(void) { account[0]++; }
