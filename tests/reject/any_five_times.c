#include <visar.h>

DATABASE int account[ANY][ANY][ANY][ANY][ANY];

TRANSACTION void t(void) { account[0][0][0][0][0]++; }
