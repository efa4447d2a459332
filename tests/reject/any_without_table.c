#include <visar.h>

DATABASE int account[3];

TRANSACTION void t(void) { account[0] = ANY; }
