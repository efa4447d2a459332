#include <visar.h>

DATABASE int account[ANY];

DATABASE int seat[7919];

TRANSACTION void t(void) { account[0] = seat[0]; }
