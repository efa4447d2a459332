#include <visar.h>

typedef int rows[ANY];
DATABASE rows account;

TRANSACTION void t(void) { account[0]++; }
