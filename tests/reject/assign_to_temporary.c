#include <visar.h>

DATABASE int x;

struct s { int a; };

TRANSACTION void t(void)
{
    ((struct s){1}).a = 2;
    x = 1;
}
