#include <visar.h>

DATABASE int x;

TRANSACTION void t(void) { x = fresh(x); }
