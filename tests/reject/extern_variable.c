#include <visar.h>

DATABASE int x;

extern int elsewhere;
TRANSACTION void t(void) { x = elsewhere; }
