#include <visar.h>

DATABASE int x;

DATABASE const int limit = 3;
TRANSACTION void t(void) { x++; }
