#include <visar.h>

DATABASE int x;

static int *current = &x;
TRANSACTION void t(void) { *current = 1; }
