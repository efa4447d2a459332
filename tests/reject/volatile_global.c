#include <visar.h>

DATABASE int x;

DATABASE volatile int flag;
TRANSACTION void t(void) { flag = 1; }
