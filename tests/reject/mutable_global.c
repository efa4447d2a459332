#include <visar.h>

DATABASE int x;

int counter;
static int hits = 3;
TRANSACTION void t(void) { counter++; hits++; }
