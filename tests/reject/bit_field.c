#include <visar.h>

DATABASE int x;

DATABASE struct { unsigned open : 1; int owner; } door;
TRANSACTION void t(void) { door.owner = 1; }
