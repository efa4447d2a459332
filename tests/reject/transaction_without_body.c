#include <visar.h>

DATABASE int x;

TRANSACTION void later(int n);
TRANSACTION void t(void) { x++; }
