#include <visar.h>

DATABASE int x;

_Thread_local int mine;
TRANSACTION void t(void) { x++; }
