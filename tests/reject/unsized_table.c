#include <visar.h>
struct row { int n; };
DATABASE struct row u[];
DATABASE int w[];
DATABASE int ok[] = {1, 2};
TRANSACTION void t(int v) { u[0].n = v; w[0] = 1; ok[0] = w[0]; assert(ok[1] == 2); }
