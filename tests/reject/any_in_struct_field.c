#include <visar.h>

DATABASE struct {
    int n;
    int line[ANY];
} orders[10];

TRANSACTION void t(void) { orders[0].n++; }
