#include <visar.h>

DATABASE int orders[10][ANY];

TRANSACTION void t(void) { orders[0][fresh(orders)] = 1; }
