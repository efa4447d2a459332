#include <visar.h>

DATABASE int x;

DATABASE void f(void)
{
}
TRANSACTION void t(void) { x++; }
