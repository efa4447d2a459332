#include <visar.h>

DATABASE int x;

struct order { int line[4]; };
DATABASE struct order orders[2];
TRANSACTION void t(void)
{
    int *p = orders[0].line;
    *p = 1;
}
