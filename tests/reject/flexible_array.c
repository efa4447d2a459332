#include <visar.h>

DATABASE int x;

struct row { int n; int item[]; };
DATABASE struct row r;
TRANSACTION void t(void) { r.n = 1; }
