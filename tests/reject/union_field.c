#include <visar.h>

DATABASE int x;

struct row { union { int i; unsigned u; } v; };
DATABASE struct row r;
TRANSACTION void t(void) { r.v.i = 1; }
