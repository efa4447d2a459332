#include <visar.h>

DATABASE int x;

struct nothing { };
DATABASE struct nothing n;
TRANSACTION void t(void) { x++; }
