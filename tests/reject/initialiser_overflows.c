#include <visar.h>

DATABASE int x;

DATABASE int big = 2147483647 + 1;
TRANSACTION void t(void) { x++; }
