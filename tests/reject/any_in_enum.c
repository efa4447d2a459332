#include <visar.h>

DATABASE int account[ANY];

enum { LAST = ANY - 1, ROWS };

TRANSACTION void t(void) { account[LAST] = ROWS; }
