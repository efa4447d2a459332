#include <visar.h>

DATABASE int x;

DATABASE int none[0];
TRANSACTION void t(void) { x++; }
