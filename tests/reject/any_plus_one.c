#include <visar.h>

DATABASE int account[ANY + 1], orders[2 * ANY][3];

TRANSACTION void t(void) { account[0]++; }
