#include <visar.h>

DATABASE int x;

typedef int four __attribute__((vector_size(16)));
TRANSACTION void t(void) { four v = {1, 2, 3, 4}; x = v[0]; }
