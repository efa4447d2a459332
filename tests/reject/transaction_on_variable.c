#include <visar.h>

DATABASE int x;

TRANSACTION int y;
TRANSACTION void t(void) { x++; }
