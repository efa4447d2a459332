#include <visar.h>

DATABASE int x;

DATABASE int *head;
TRANSACTION void t(void) { x++; }
