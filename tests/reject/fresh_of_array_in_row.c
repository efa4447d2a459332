#include <visar.h>

DATABASE struct { int line[5]; } orders[ANY];

TRANSACTION void t(int o) { orders[o].line[fresh(orders[o].line)] = 1; }
