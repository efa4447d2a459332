#include <visar.h>

DATABASE int x;

struct op { int (*run)(int); };
DATABASE struct op ops[2];
TRANSACTION void t(void) { x++; }
