#include <visar.h>

DATABASE int x;

union value { int i; unsigned u; };
DATABASE union value v[2];
TRANSACTION void t(void) { x++; }
