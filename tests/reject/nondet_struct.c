#include <visar.h>

DATABASE int x;

struct point { int a, b; };
struct point nondet_point(void);

TRANSACTION void t(void)
{
    x = nondet_point().a;
}
