#include <visar.h>

DATABASE int x;

struct s { struct { int a, b; } in; int c; };

TRANSACTION void t(void)
{
    struct s v = {.in.a = 1, 2, 3};
    x = v.c;
}
